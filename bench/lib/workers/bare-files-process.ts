/**
 * A bare Node server: PUT hashes and writes the body with a flush, GET reads and sends it. The reference for uploads
 * and downloads.
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { answerJobs } from './worker-process.ts'

export interface BareFilesJob {
  readonly folder: string
}

answerJobs(start)

/** Replies with its port. */
async function start({ folder }: BareFilesJob): Promise<number> {
  const server = createServer((request, response) => {
    const path = join(folder, (request.url ?? '/').slice(1))
    const done = request.method === 'PUT' ? store() : send()
    done.catch((error: unknown) => response.destroy(error as Error))

    async function store(): Promise<void> {
      const hash = createHash('sha256')
      const hashed = new Transform({
        transform(chunk: Buffer, _encoding, next) {
          hash.update(chunk)
          next(null, chunk)
        },
      })
      await pipeline(request, hashed, createWriteStream(path, { flush: true }))
      const answer = JSON.stringify({ sha256: hash.digest('hex') })
      response.writeHead(201, { 'content-length': answer.length }).end(answer)
    }

    async function send(): Promise<void> {
      const { size } = await stat(path)
      response.writeHead(200, { 'content-length': size })
      await pipeline(createReadStream(path), response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
