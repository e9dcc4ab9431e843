import { fstatSync, writeFileSync } from 'node:fs'

/**
 * Writes to standard output; false when the stream wants its reader to catch up. Throws when it is a file on a full
 * disk: a stream of Node writes to a file once, and does not report what the disk did not take.
 */
export function writeOut(content: string | Buffer): boolean {
  const { fd } = process.stdout
  const stat = fstatSync(fd)
  if (process.stdout.isTTY || stat.isFIFO() || stat.isSocket()) return process.stdout.write(content)
  writeFileSync(fd, content)
  return true
}
