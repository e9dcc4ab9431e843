import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A stand-in for the API of a vendor of models, on the loopback interface. */
export abstract class ModelStandIn {
  readonly #server = createServer((request, response) => void this.#take(request, response))
  /** Of a stream it sends the first text, and then nothing more. */
  stalls = false

  async listen(): Promise<this> {
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    return this
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await once(this.#server.close(), 'close')
  }

  /** Answers a request with this body. */
  protected abstract answer(sent: unknown, response: ServerResponse): void

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    this.answer(JSON.parse(Buffer.concat(chunks).toString()), response)
  }
}
