// A profile of the device's time: for each launch, its name and the time between an event before and one after it.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

namespace dragoman::cuda {

class Profile {
 public:
  Profile() = default;
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  void begin(std::string name, cudaStream_t stream);
  void end(cudaStream_t stream) noexcept;  // if this fails, the launch is left out of the table

  // profile_table() of the launches since the start or since the last call. Waits for the launches.
  std::string table();

  // The name of a kernel without namespaces and template arguments.
  static std::string name_of(const void* kernel);

 private:
  struct Span {
    std::string name;
    cudaEvent_t begin = nullptr, end = nullptr;
    bool ended = false;
  };

  cudaEvent_t event();

  std::vector<Span> spans_;
  std::vector<cudaEvent_t> free_;
};

// Times what is launched during its lifetime, if there is a profile.
class Timed {
 public:
  template <class Name>  // a function that returns the name; called only if there is a profile
  Timed(Profile* profile, cudaStream_t stream, const Name& name) : profile_(profile), stream_(stream) {
    if (profile_ != nullptr) profile_->begin(name(), stream);
  }
  ~Timed() {
    if (profile_ != nullptr) profile_->end(stream_);
  }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  Profile* profile_;
  cudaStream_t stream_;
};

}  // namespace dragoman::cuda
