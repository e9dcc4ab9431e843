import { observedStream } from '../follow-result.ts'
import { inContext } from '../runtime.ts'
import type { Step } from '../span.ts'
import { joinEvents, type Json, messagesOf, objectOf, readAnswer } from './read-model-call.ts'

/** By the end of the path, so that gateways and other vendors with the same API are recognised. */
const API = /\/(?:(chat)\/completions|(responses|messages|embeddings))$/
/** Most characters of a recorded answer. A longer one is passed on and not recorded. */
const MOST_READ = 16 * 1024 * 1024

/** A step for a call, which is ended with what is read of the answer. */
export type OpenStep = (name: string, options: { type: string }) => Step

/** The same `fetch`, with a step for each call of a model. Requests and responses stay the same. */
export function wrapFetch(fetch: typeof globalThis.fetch, openStep: OpenStep): typeof globalThis.fetch {
  return async (input, init) => {
    const call = await modelCallOf(input, init).catch(() => null)
    if (call === null) return fetch(input, init)
    const { api, request } = call
    const { model, tools, temperature, max_tokens } = request
    const step = openStep(typeof model === 'string' ? `${api} ${model}` : api, {
      type: api === 'embeddings' ? 'embedding' : 'llm',
    })
    if (typeof model === 'string') step.model(model)
    step.messages(messagesOf(request)).metadata({ tools, temperature, max_tokens })
    let response: Response
    try {
      response = await inContext(step, () => fetch(input, init))
    } catch (error) {
      step.fail(error)
      throw error
    }
    return observed(response, (text, error) => {
      recordAnswer(step, request, response, text)
      if (error !== null) step.error(error)
      step.end()
    })
  }
}

async function modelCallOf(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<{ api: string; request: Json } | null> {
  const request = input instanceof Request ? input : null
  const { pathname } = new URL(request?.url ?? String(input))
  const [, chat, api = chat] = API.exec(pathname) ?? []
  if (api === undefined || (init?.method ?? request?.method ?? 'GET').toUpperCase() !== 'POST') return null
  const body = init?.body ?? (request === null ? null : await request.clone().text())
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  if (typeof text !== 'string') return null
  const parsed = objectOf(JSON.parse(text))
  return ['model', 'messages', 'input'].some((name) => name in parsed) ? { api, request: parsed } : null
}

function recordAnswer(step: Step, request: Json, response: Response, text: string | null): void {
  try {
    if (text === null) return void step.metadata({ answer: 'too long to record' })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const events = isStream ? eventsOf(text) : []
    const answer = isStream ? joinEvents(events) : objectOf(JSON.parse(text))
    const failure = events.find((event) => event['error'] !== undefined) ?? answer
    if (!response.ok || failure['error']) {
      const { type, code, message } = objectOf(failure['error'])
      const error = new Error(String(message ?? text.slice(0, 1000)))
      error.name = String(type ?? code ?? response.status)
      step.error(error)
    }
    const { model, messages, usage, reason } = readAnswer(answer)
    if (typeof model === 'string') step.model(model)
    if (messages.length > 0) step.messages([...messagesOf(request), ...messages])
    if (usage !== undefined) step.usage(usage)
    step.metadata({ finish_reason: reason })
  } catch {
    if (!response.ok) step.error(new Error(`${response.status} ${text?.slice(0, 1000) ?? ''}`))
  }
}

function eventsOf(text: string): readonly Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:') && !/^data: ?\[DONE\]/.test(line))
  return data.flatMap((line) => {
    try {
      return [objectOf(JSON.parse(line.slice(5)))]
    } catch {
      // The last one of a stream that was given up.
      return []
    }
  })
}

/** The response with a body that is read beside. `onEnd` is given the text, or null if it is too long. */
function observed(response: Response, onEnd: (text: string | null, error: unknown) => void): Response {
  if (response.body === null) {
    onEnd('', null)
    return response
  }
  const decoder = new TextDecoder()
  let pieces: string[] | null = []
  let length = 0
  const onChunk = (chunk: Uint8Array) => {
    if (pieces === null) return
    const piece = decoder.decode(chunk, { stream: true })
    length += piece.length
    if (length > MOST_READ) pieces = null
    else pieces.push(piece)
  }
  const body = observedStream(response.body, onChunk, (error) => onEnd(pieces?.join('') ?? null, error))
  const { status, statusText, headers, url, redirected, type } = response
  const same = new Response(body, { status, statusText, headers })
  // A response that is made has none of these.
  for (const [name, value] of Object.entries({ url, redirected, type })) Object.defineProperty(same, name, { value })
  return same
}
