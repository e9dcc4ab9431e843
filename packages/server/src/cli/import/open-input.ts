import { createReadStream, fstatSync, openSync } from 'node:fs'
import { OperatorError } from '../../lib/operator-error.ts'

export interface ImportInput {
  readonly chunks: AsyncIterable<Buffer>
  /** Null for a pipe or a terminal, whose size is not known. */
  readonly totalBytes: number | null
  /** Ends `chunks`, also while they are being awaited. */
  close(): void
}

const STANDARD_INPUT = 0

/** A file, or standard input for `-`. Throws OperatorError when it cannot be opened. */
export function openInput(path: string): ImportInput {
  const descriptor = path === '-' ? STANDARD_INPUT : openFile(path)
  const status = fstatSync(descriptor)
  if (status.isDirectory()) throw new OperatorError(`${path} is a folder, not a file of trace bodies.`)
  const totalBytes = status.isFile() ? status.size : null
  // process.stdin reads pipes and terminals without blocking a thread. A read that never ends would block one.
  const stream = path === '-' && !status.isFile() ? process.stdin : createReadStream('', { fd: descriptor })
  return { chunks: stream, totalBytes, close: () => stream.destroy() }
}

function openFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    const reasons: Readonly<Record<string, string>> = {
      ENOENT: 'there is no such file',
      EACCES: 'you may not read it',
      EISDIR: 'it is a folder',
    }
    throw new OperatorError(`Cannot open ${path}: ${reasons[String(error.code)] ?? error.message}.`)
  }
}
