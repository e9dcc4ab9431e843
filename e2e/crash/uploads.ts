import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Attachment } from '@spoor/contract/schemas/attachment'
import { newTrace } from './content.ts'
import { type Workload, sendTrace } from './workload.ts'
import type { SentTrace } from './ledger.ts'
import { serve, sha256, uploadCall } from '../lib/media/media.ts'

const LARGEST_BYTES = 200_000
const PAUSE_MS = 100
const CHUNKS = 8

/** Files that were uploaded to one trace, which stays, and what was acknowledged of them. */
export class Uploads {
  readonly #acknowledged: { readonly uri: string; readonly hash: string }[] = []
  #trace: SentTrace | null = null

  get count(): number {
    return this.#acknowledged.length
  }

  /** Uploads until the load ends, some of them slowly: they are under way while nodes end and start. */
  async run(workload: Workload, mayRefuse: (status: number) => boolean): Promise<void> {
    const { random, ledger, killed, ended = killed } = workload
    while (!ended()) {
      await sleep(random.below(PAUSE_MS))
      const trace = this.#trace ?? newTrace(ledger, random, true)
      // No other worker marks or deletes it.
      trace.busy = true
      this.#trace = trace
      if (trace.id === null) {
        await sendTrace(workload, trace)
        continue
      }
      await this.#upload(workload, trace, mayRefuse)
    }
  }

  async #upload(
    { client, random, killed, ledger }: Workload,
    { id }: SentTrace,
    mayRefuse: (status: number) => boolean,
  ) {
    const content = randomBytes(1 + random.below(LARGEST_BYTES))
    const file = { content, type: 'application/octet-stream', filename: 'f.bin' }
    const call = uploadCall({ trace_id: id as string, kind: 'file' }, file)
    try {
      const pauseMs = random.chance(0.3) ? random.below(400) : 0
      const { status, text } = await sendSlowly(
        client.url,
        client.key as string,
        call.headers ?? {},
        call.body as Buffer,
        pauseMs,
      )
      if (status === 201) {
        this.#acknowledged.push({ uri: (JSON.parse(text) as Attachment).uri, hash: sha256(content) })
        ledger.acknowledgedRequests += 1
      } else if (!mayRefuse(status)) {
        ledger.violate(`an upload: ${status} ${text}`)
      }
    } catch (error) {
      if (!killed()) ledger.violate(`an upload: no response although the service runs: ${String(error)}`)
    }
  }

  /** Each acknowledged file must have its bytes. */
  async verify({ client, ledger }: Pick<Workload, 'client' | 'ledger'>): Promise<void> {
    for (const { uri, hash } of this.#acknowledged) {
      const answer = await serve(client, uri)
      if (answer.status !== 200) ledger.violate(`the upload ${uri} is answered ${answer.status} ${answer.text}`)
      else if (sha256(answer.bytes) !== hash) ledger.violate(`the upload ${uri} has other bytes`)
    }
  }
}

/** Sends the body in chunks with pauses between. Rejects only if there is no complete response. */
function sendSlowly(
  url: string,
  key: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  pauseMs: number,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = { ...headers, 'x-api-key': key, 'content-length': String(body.length) }
    const outgoing = request(`${url}/v1/media/upload`, { method: 'POST', headers: sent, agent: false }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
    outgoing.on('error', reject)
    void (async () => {
      const size = pauseMs === 0 ? body.length : Math.ceil(body.length / CHUNKS)
      for (let from = 0; from < body.length && !outgoing.destroyed; from += size) {
        outgoing.write(body.subarray(from, from + size))
        if (pauseMs > 0) await sleep(pauseMs)
      }
      outgoing.end()
    })()
  })
}
