import type { Readable } from 'node:stream'

/** Memory that was allocated for one chunk alone. */
const passing = new WeakSet<ArrayBuffer>()

/**
 * Marks memory that was allocated for this chunk alone, so that its consumer may free it. Without this, V8 frees chunks
 * late: with thousands per second, about a hundred megabytes accumulate before it collects its whole heap.
 */
export function markPassing(chunk: Buffer): void {
  if (chunk.buffer instanceof ArrayBuffer && spansItsMemory(chunk)) passing.add(chunk.buffer)
}

const sole = new WeakSet<Uint8Array>()

/** Marks bytes that are the only user of their memory, also if they span only a part of it: it may be transferred. */
export function markSole<T extends Uint8Array>(bytes: T): T {
  sole.add(bytes)
  return bytes
}

/** The memory that is transferred with the bytes; none if other bytes may use it. */
export function memoryOf(bytes: Uint8Array): ArrayBuffer[] {
  const isAlone = spansItsMemory(bytes) || (sole.has(bytes) && bytes.byteLength > 0)
  return bytes.buffer instanceof ArrayBuffer && isAlone ? [bytes.buffer] : []
}

/**
 * Called by the consumer of the chunk, which must not be used after that. Frees only marked memory, and only by a chunk
 * that spans all of it or is its only user.
 */
export function freePassing(chunk: Buffer): void {
  const { buffer } = chunk
  const isPassing = buffer instanceof ArrayBuffer && spansItsMemory(chunk) && passing.delete(buffer)
  if (isPassing || sole.has(chunk)) freeWhole(chunk)
}

/** Frees the memory of bytes that span it or are its only user; otherwise nothing. */
export function freeWhole(bytes: Uint8Array): void {
  for (const memory of memoryOf(bytes)) memory.transfer(0)
}

/** Like `source.pipe(destination)`, but frees marked chunks when the destination has passed them to the system. */
export function pipeFreeing(source: Readable, destination: NodeJS.WritableStream, { end = true } = {}): void {
  const pass = (chunk: Buffer) => {
    const accepts = destination.write(chunk, (error) => {
      // A failed write may still hold its bytes.
      if (error === undefined || error === null) freePassing(chunk)
    })
    if (!accepts) source.pause()
  }
  const resume = () => void source.resume()
  const finish = () => void (end && destination.end())
  source.on('data', pass).once('end', finish)
  destination.on('drain', resume).once('close', () => {
    source.off('data', pass).off('end', finish).pause()
    destination.off('drain', resume)
  })
}

function spansItsMemory(chunk: Uint8Array): boolean {
  return chunk.byteLength === chunk.buffer.byteLength && chunk.byteLength > 0
}
