import { randomBytes } from 'node:crypto'

/** The only source of randomness: `size` unpredictable bytes. Injected, so that tests can control it. */
export type RandomBytes = (size: number) => Uint8Array

export const systemRandomBytes: RandomBytes = (size) => randomBytes(size)
