import type { Readable } from 'node:stream'

/** Memory that holds one chunk on its way, made for that alone. */
const passing = new WeakSet<ArrayBuffer>()

/**
 * Says that the chunk's memory was made for it alone, and that whoever uses it up may free it. Chunks that pass in thousands a second are otherwise freed when V8
 * gets to it: it lets about a hundred megabytes of them pile up, and then looks through its whole heap.
 */
export function markPassing(chunk: Buffer): void {
  if (chunk.buffer instanceof ArrayBuffer && spansItsMemory(chunk)) passing.add(chunk.buffer)
}

/** To be called by who used the chunk up: nobody may look at it again. Frees nothing but what was marked, and nothing by a part of it. */
export function freePassing(chunk: Buffer): void {
  if (!(chunk.buffer instanceof ArrayBuffer) || !spansItsMemory(chunk) || !passing.delete(chunk.buffer)) return
  chunk.buffer.transfer(0)
}

/** As `source.pipe(destination)`, but frees marked chunks once the destination has passed them on to the system. */
export function pipeFreeing(source: Readable, destination: NodeJS.WritableStream, { end = true } = {}): void {
  const pass = (chunk: Buffer) => {
    const goesOn = destination.write(chunk, (error) => {
      // A write that failed may not have let go of its bytes yet.
      if (error === undefined || error === null) freePassing(chunk)
    })
    if (!goesOn) source.pause()
  }
  const resume = () => void source.resume()
  const finish = () => void (end && destination.end())
  source.on('data', pass).once('end', finish)
  destination.on('drain', resume).once('close', () => {
    source.off('data', pass).off('end', finish).pause()
    destination.off('drain', resume)
  })
}

function spansItsMemory(chunk: Buffer): boolean {
  return chunk.byteLength === chunk.buffer.byteLength && chunk.byteLength > 0
}
