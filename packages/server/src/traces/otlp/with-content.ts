import type { Limits } from '@spoor/contract/limits'
import type { StepBody } from '@spoor/contract/schemas/traces/trace-body'
import type { Message } from '@spoor/payloads/forms/message-forms'
import { searchableTexts } from '@spoor/payloads/searchable-texts'
import { shortened } from '../../lib/json/shortened.ts'
import { tellProblem } from '../../lib/validation/move-aside.ts'
import type { PreparedSpan, PreparedStep } from '../../ports/traces/prepared.ts'
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

/** Null if it cannot be cut to what a step may have. */
export function withinLimit(body: Content, what: string, { lineBytes }: Limits): Content | null {
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes <= lineBytes) return body
  const found = shortened(body, lineBytes - MOST_SAID)
  if (found === null) return null
  const problem = `With its ${what} it had ${bytes} bytes, of ${lineBytes} at most. ${found.said}`
  tellProblem(found.value as Record<string, unknown>, { field: '', problem })
  return found.value as Content
}

/** Bytes of what is said of it. */
const MOST_SAID = 1000
