import { observedStream } from '../follow-result.ts'
import { inContext } from '../runtime.ts'
import type { Step } from '../span.ts'
import { MESSAGES } from './anthropic.ts'
import { type Json, listOf, type ModelApi, objectOf } from './model-call.ts'
import { CHAT, EMBEDDINGS, RESPONSES } from './openai.ts'

/** By the end of the path, so that gateways and other vendors with the same API are recognised. */
const APIS: readonly (readonly [path: RegExp, api: ModelApi])[] = [
  [/\/chat\/completions$/, CHAT],
  [/\/responses$/, RESPONSES],
  [/\/messages$/, MESSAGES],
  [/\/embeddings$/, EMBEDDINGS],
]
/** What is read of an answer, characters. A longer one is passed on and not recorded. */
const MOST_READ = 16 * 1024 * 1024

/** A step for a call, which is ended with what is read of the answer. */
export type OpenStep = (name: string, options: { type: string }) => Step

/** The same `fetch`, with a step for each call of a model. What is sent and what is returned stays the same. */
export function wrapFetch(fetch: typeof globalThis.fetch, openStep: OpenStep): typeof globalThis.fetch {
  return async (input, init) => {
    const call = await modelCallOf(input, init).catch(() => null)
    if (call === null) return fetch(input, init)
    const { api, request } = call
    const step = openStep(typeof request['model'] === 'string' ? `${api.name} ${request['model']}` : api.name, {
      type: api.stepType,
    })
    recordRequest(step, api, request)
    let response: Response
    try {
      response = await inContext(step, () => fetch(input, init))
    } catch (error) {
      step.fail(error)
      throw error
    }
    return observed(response, (text, error) => {
      recordAnswer(step, api, request, response, text)
      if (error !== null) step.error(error)
      step.end()
    })
  }
}

async function modelCallOf(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<{ api: ModelApi; request: Json } | null> {
  const request = input instanceof Request ? input : null
  const { pathname } = new URL(request?.url ?? String(input))
  const api = APIS.find(([path]) => path.test(pathname))?.[1]
  if (api === undefined || (init?.method ?? request?.method ?? 'GET').toUpperCase() !== 'POST') return null
  const body = init?.body ?? (request === null ? null : await request.clone().text())
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : body
  if (typeof text !== 'string') return null
  const parsed = objectOf(JSON.parse(text))
  return ['model', 'messages', 'input'].some((name) => name in parsed) ? { api, request: parsed } : null
}

function recordRequest(step: Step, api: ModelApi, request: Json): void {
  try {
    setRequest(step, api, request)
  } catch (error) {
    step.metadata({ recording_error: String(error) })
  }
}

function setRequest(step: Step, api: ModelApi, request: Json): void {
  if (typeof request['model'] === 'string') step.model(request['model'])
  step.messages(api.messagesOf(request))
  const { tools, temperature, max_tokens } = request
  step.metadata(JSON.parse(JSON.stringify({ tools, temperature, max_tokens })) as Json)
}

function recordAnswer(step: Step, api: ModelApi, request: Json, response: Response, text: string | null): void {
  try {
    if (text === null) return void step.metadata({ answer: 'too long to record' })
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
    const events = isStream ? eventsOf(text) : []
    const answer = isStream ? api.joined(events) : objectOf(JSON.parse(text))
    const failure = events.find((event) => event['error'] !== undefined) ?? answer
    if (!response.ok || failure['error']) {
      const { type, code, message } = objectOf(failure['error'])
      const error = new Error(String(message ?? text.slice(0, 1000)))
      error.name = String(type ?? code ?? response.status)
      step.error(error)
    }
    const { model, messages, usage, reason } = api.answerOf(answer)
    if (model !== undefined) step.model(model)
    if (messages.length > 0) step.messages([...api.messagesOf(request), ...messages])
    if (usage !== undefined) step.usage(usage)
    if (reason !== undefined) step.metadata({ finish_reason: reason })
  } catch {
    if (!response.ok) step.error(new Error(`${response.status} ${text?.slice(0, 1000) ?? ''}`))
  }
}

function eventsOf(text: string): readonly Json[] {
  const data = text.split(/\r?\n/).filter((line) => line.startsWith('data:') && !/^data: ?\[DONE\]/.test(line))
  return data.flatMap((line) => {
    try {
      return listOf([JSON.parse(line.slice(5))])
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
