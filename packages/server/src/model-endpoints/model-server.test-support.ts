import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AskedRequest {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

export interface ModelServer {
  /** Up to `/v1`. */
  readonly url: string
  readonly requests: AskedRequest[]
  /** The handler from now on. */
  answer: AnswerRequest
  close(): Promise<void>
}

export type AnswerRequest = (request: AskedRequest, response: ServerResponse, number: number) => void

/** For tests: a server on this machine with a handler that the test chooses; `number` counts requests from 1. */
export async function startModelServer(answer: AnswerRequest): Promise<ModelServer> {
  const requests: AskedRequest[] = []
  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const request = { path: incoming.url ?? '', authorization: incoming.headers.authorization, body }
      requests.push(request)
      running.answer(request, response, requests.length)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const running: ModelServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    answer,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
  return running
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

/** An answer of status 200 with this as JSON. */
export function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

/** The answer to texts with these vectors, not in the order of the texts. */
export function sendVectors(response: ServerResponse, vectors: readonly (readonly number[])[]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  sendJson(response, { object: 'list', data: data.toReversed(), model: 'm' })
}

export function textsIn({ body }: AskedRequest): readonly string[] {
  return (JSON.parse(body) as { readonly input: readonly string[] }).input
}
