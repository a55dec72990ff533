// Where the device's time goes: what was launched, by name, with the time between an event before and one after it.
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
  void end(cudaStream_t stream) noexcept;  // a span that cannot be ended is left out

  // A line for each name, the longest first: milliseconds, how often, name. Waits for what it times, and forgets.
  std::string table();

  // The name of a kernel without its types.
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

// Times what is launched while it lives, if anybody wants to know.
class Timed {
 public:
  template <class Name>  // called only if it is wanted
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
