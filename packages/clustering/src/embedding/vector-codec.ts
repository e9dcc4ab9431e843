/**
 * The stored form of a unit vector: a float32 scale, least significant byte first, then an int8 for each number, which
 * is the number divided by the scale. A cosine changes by less than 0.005. It takes a quarter of the space of float32;
 * a project may store 200,000 vectors.
 */
export function encodeVector(vector: Float32Array): Uint8Array {
  const bytes = new Uint8Array(SCALE_BYTES + vector.length)
  let greatest = 0
  for (const value of vector) greatest = Math.max(greatest, Math.abs(value))
  const scale = Math.fround(greatest / GREATEST)
  new DataView(bytes.buffer).setFloat32(0, scale, true)
  const numbers = new Int8Array(bytes.buffer, SCALE_BYTES)
  vector.forEach((value, index) => (numbers[index] = scale === 0 ? 0 : Math.round(value / scale)))
  return bytes
}

export function decodeVector(bytes: Uint8Array): Float32Array {
  const scale = new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true)
  const numbers = new Int8Array(bytes.buffer, bytes.byteOffset + SCALE_BYTES, bytes.length - SCALE_BYTES)
  // Ten times as fast as Float32Array.from with a function; runs for each trace of each run.
  const vector = new Float32Array(numbers.length)
  for (let index = 0; index < numbers.length; index++) vector[index] = numbers[index]! * scale
  return vector
}

const SCALE_BYTES = 4
const GREATEST = 127
