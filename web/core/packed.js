// Arrays of numbers as the server packs them into JSON.

/** base64 of little-endian float32 -> Float32Array. */
export function unpacked(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = binary.charCodeAt(i);
  const count = bytes.length >> 2;
  const littleEndian = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
  if (littleEndian) return new Float32Array(bytes.buffer, 0, count);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({length: count}, (_, i) => view.getFloat32(4 * i, true));
}
