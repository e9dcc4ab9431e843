import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server in this process that answers deliveries with the set status. */
export interface HookReceiver extends AsyncDisposable {
  readonly url: string
  status: number
  /** The number of deliveries received. */
  readonly count: number
}

export async function startHookReceiver(): Promise<HookReceiver> {
  let [status, count] = [200, 0]
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count += 1
      response.writeHead(status, { 'x-receiver': 'test' }).end(`<b>answer ${status}</b>`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    get status() {
      return status
    },
    set status(next) {
      status = next
    },
    get count() {
      return count
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
