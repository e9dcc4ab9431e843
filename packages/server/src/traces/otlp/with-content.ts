import type { Limits } from '@spoor/contract/limits'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import type { Message } from '@spoor/payloads/forms/message-forms'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { shortened } from '../../lib/json/shortened.ts'
import { printed, tellProblem } from '../../lib/validation/move-aside.ts'
import type { PreparedSpan, PreparedStep } from '../../ports/traces/prepared.ts'
import { timeToFirstToken } from '../intake/first-token.ts'
import { stepCalls } from '../intake/step-calls.ts'
import { stepSaid } from '../intake/step-said.ts'
import { senderOf } from '../intake/step-sender.ts'
import { toOtherWords } from '../rules/search-text.ts'
import { SPAN_PART } from './span-part.ts'

type Outcome = 'model' | 'status' | 'startedAt' | 'endedAt' | 'tokenUsage'
type Fields = Pick<PreparedStep, 'name' | 'type' | 'parentStepId' | Outcome>

/** The body of a step as it is printed. */
export interface Content {
  readonly messages?: readonly Message[] | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  readonly error?: StepBody['error'] | undefined
  readonly token_usage?: unknown
}

/** The same span with another content, and what follows from that. `sent.model`: where the step does not show it. */
export function withContent(
  span: PreparedSpan,
  fields: Fields,
  content: Content,
  sent: { readonly scope: string; readonly version: string; readonly model?: string | null },
): PreparedSpan {
  const { messages = [], error, metadata = {} } = content
  const texts = searchableTexts({ name: fields.name, messages, error })
  const isPart = span.part !== undefined
  const isTool = isPart && fields.type === 'tool'
  return {
    ...span,
    step: {
      ...span.step,
      ...fields,
      firstTokenMs: timeToFirstToken(metadata, fields.startedAt),
      body: Buffer.from(JSON.stringify(content)),
      said: stepSaid(messages, error),
      calls: stepCalls(fields.type, fields.name, messages),
      texts,
      otherWords: toOtherWords(texts),
      sender: senderOf(sent.scope, sent.version, {
        ...fields,
        model: sent.model ?? fields.model,
        messages,
        unread: Object.entries(metadata).filter(([key]) => key !== SPAN_PART),
        // Log records that are taken are about a call of a model.
        isAboutAgents: span.isAboutAgents || !isPart,
        takesTexts: true,
        isUnfinished: fields.endedAt === null,
        empty: { input: isTool, output: isTool },
      }),
    },
  }
}

/** Cut to what a step may have. The keys `own` of its metadata keep their form. */
export function withinLimit(
  body: Content,
  what: string,
  { lineBytes }: Pick<Limits, 'lineBytes'>,
  own: readonly string[],
): Content {
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes <= lineBytes) return body
  const room = lineBytes - MOST_SAID
  const texts = flat(body, own)
  // Only with a limit of a few kilobytes is the last one needed.
  const found = shortened(body, room) ?? shortened(texts, room) ?? { value: { metadata: {} }, said: 'It was left out.' }
  const problem = `With its ${what} it had ${bytes} bytes, of ${lineBytes} at most. ${found.said}`
  tellProblem(found.value as Record<string, unknown>, { field: '', problem })
  return found.value as Content
}

/** Every message, and every value of the metadata, as a text of its JSON: so it can be cut however it is nested. */
function flat({ messages, metadata = {}, ...others }: Content, own: readonly string[]): Content {
  const texts = Object.entries(metadata).map(([key, value]) => [
    key,
    own.includes(key) || typeof value === 'string' ? value : printed(value),
  ])
  return {
    ...others,
    messages: messages?.map(({ role, content }) => ({ role, content: [{ type: 'text', text: printed(content) }] })),
    metadata: Object.fromEntries(texts),
  }
}

/** Bytes of what is said of it. */
const MOST_SAID = 1000
