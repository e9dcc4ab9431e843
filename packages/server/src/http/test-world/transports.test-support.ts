import { after } from 'node:test'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface TestRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
  readonly body?: string | Buffer
}

export interface TestAnswer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
  /** Untyped, because tests check it field by field. */
  // oxlint-disable-next-line typescript/no-explicit-any
  json(): any
}

export type Send = (request: TestRequest) => Promise<TestAnswer>

/** Requests in memory and over a real socket: a test runs once with each. */
export const TRANSPORTS: Readonly<Record<string, (app: FastifyInstance) => Promise<Send>>> = {
  memory: async (app) => {
    after(() => app.close())
    return async ({ method = 'GET', path, headers = {}, body }) => {
      const answer = await app.inject({
        method: method as 'GET',
        url: path,
        headers,
        ...(body === undefined ? {} : { payload: body }),
      })
      return {
        status: answer.statusCode,
        headers: answer.headers as TestAnswer['headers'],
        text: answer.payload,
        json: () => JSON.parse(answer.payload),
      }
    }
  },
  socket: async (app) => {
    const port = await listen(app)
    return (sent) => sendTo(port, sent)
  },
}

export async function listen(app: FastifyInstance): Promise<number> {
  after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  return (app.server.address() as AddressInfo).port
}

export function sendTo(port: number, { method = 'GET', path, headers = {}, body }: TestRequest): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: () => JSON.parse(text) })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
