import type { Readable } from 'node:stream'

const counted = new WeakMap<Readable, (bytes: number) => void>()

/** Calls `count` with each piece of a body as it is read. */
export function countBytes(source: Readable, count: (bytes: number) => void): void {
  counted.set(source, count)
}

/** Called by the one reader of bodies. */
export function bytesRead(source: Readable, bytes: number): void {
  counted.get(source)?.(bytes)
}
