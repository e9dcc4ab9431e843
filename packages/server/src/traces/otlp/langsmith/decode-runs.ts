import { hash } from 'node:crypto'
import { isFields, isList } from '@spoor/payloads/json'
import { DomainError } from '../../../lib/domain-error.ts'
import type { SpanMedia } from '../../../ports/traces/prepared.ts'
import { mediaKindOf } from '../map/inline-media.ts'
import { parseBody } from '../wire/decode-json.ts'
import { BadSpan, type Sent, type Span } from '../wire/span.ts'
import { readForm } from './multipart-form.ts'
import { mentionOf, refused } from '../mention.ts'
import { idOfRun, idsOf, mergeRuns, type Run } from './run.ts'
import { toOrigin, toSpan } from './run-to-span.ts'
import { feedbackOf } from './run-feedback.ts'

const [BLANK, LIST, OBJECT] = [0x20, 0x5b, 0x7b]

/** All that a request says of one run. */
interface SentRun {
  readonly creates: Run[]
  readonly updates: Run[]
  readonly media: SpanMedia[]
  readonly feedback: Run[]
}

/**
 * The runs of a request to LangSmith's run API, each once: `{post, patch, feedback}` in JSON, or a form with the parts
 * `post.ID`, `patch.ID`, their fields as `post.ID.inputs`, `attachment.ID.NAME` and `feedback.ID`. A request of one run
 * comes as `[kind, id, [run]]`, in which a body that is no value of its own shows. Throws DomainError when the request
 * itself cannot be decoded.
 */
export function decodeLangSmith(bytes: Uint8Array): Sent<Span | null>[] {
  const runs = new Map<string, SentRun>()
  const bad: Sent<Span | null>[] = []
  const sentRun = (id: unknown): SentRun | null => {
    let name: string
    try {
      name = idOfRun(id, 'id')
    } catch (error) {
      if (!(error instanceof BadSpan)) throw error
      bad.push(refused(error))
      return null
    }
    const known = runs.get(name) ?? { creates: [], updates: [], media: [], feedback: [] }
    runs.set(name, known)
    return known
  }
  const add = (kind: string, sent: unknown, defaultId?: unknown) => {
    const run = isFields(sent) ? sent : {}
    if (kind === 'feedback') return void sentRun(run['run_id'])?.feedback.push(run)
    sentRun(run['id'] ?? defaultId)?.[kind === 'post' ? 'creates' : 'updates'].push(run)
  }
  const first = bytes.find((byte) => byte > BLANK)
  if (first === LIST) {
    const [kind, id, sent, ...more] = parseBody(bytes) as readonly unknown[]
    if (!isList(sent) || sent.length !== 1 || more.length > 0)
      throw new DomainError('bad_request', 'The body must be one run, or an object with runs.')
    add(String(kind), sent[0], id)
  } else if (first === OBJECT) {
    const body = parseBody(bytes)
    if (!isFields(body)) throw new DomainError('bad_request', 'The body must be an object with runs.')
    for (const kind of ['post', 'patch', 'feedback']) {
      const sent = body[kind] ?? []
      if (!isList(sent)) throw new DomainError('bad_request', `\`${kind}\` must be a list.`)
      for (const one of sent) add(kind, one)
    }
  } else {
    for (const { name, type, content } of readForm(bytes)) {
      const [kind = '', id, field] = name.split('.', 3)
      if (kind === 'attachment') {
        sentRun(id)?.media.push(toMedia(name.split('.').slice(2).join('.'), type, content))
        continue
      }
      const sent = parseBody(content)
      add(kind, field === undefined ? sent : { [field]: sent }, id)
    }
  }
  return [...bad, ...[...runs].map(([id, sent]) => sentSpan(id, sent))]
}

function sentSpan(id: string, { creates, updates, media, feedback }: SentRun): Sent<Span | null> {
  const run = mergeRuns([...creates, ...updates])
  const isOnlyNamed = run === null && media.length === 0
  const named = run ?? { trace_id: feedback[0]?.['trace_id'] ?? feedback[0]?.['run_id'] }
  return {
    origin: toOrigin(named),
    decode: () => {
      if (run === null && media.length > 0) throw new BadSpan('an attachment belongs to no run of its request')
      const ids = idsOf(id, named)
      const span = isOnlyNamed ? mentionOf(ids) : toSpan(ids, named, updates.length > 0)
      return { ...span, media, evaluations: feedback.flatMap((one) => feedbackOf(one, span)) }
    },
  }
}

function toMedia(filename: string, contentType: string | null, content: Uint8Array): SpanMedia {
  const bytes = Buffer.from(content)
  return { sha256: hash('sha256', bytes, 'hex'), kind: mediaKindOf(contentType ?? ''), contentType, filename, bytes }
}
