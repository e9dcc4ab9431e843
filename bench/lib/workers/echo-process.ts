/** A bare server that reads each body and answers 202: the cost of HTTP alone on this machine. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { answerJobs } from './worker-process.ts'

const ANSWER = JSON.stringify({ id: 'tr_01m7vz89efe0a837ad45898667', state: 'committed' })

const server = createServer((request, response) => {
  let bytes = 0
  request.on('data', (chunk: Buffer) => (bytes += chunk.length))
  request.on('end', () => {
    response.writeHead(bytes > 0 ? 202 : 400, {
      'content-type': 'application/json',
      'content-length': ANSWER.length,
    })
    response.end(ANSWER)
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo

answerJobs<'port', number>(async () => port)
