import assert from 'node:assert/strict'
import type { Service } from '../lib/service.ts'
import type { Billed } from './openai-stand-in.ts'

export interface FoundStep {
  readonly name: string
  readonly type: string
  readonly model: string | null
  readonly status: string
  readonly parent_step_id: string | null
  readonly token_usage?: Partial<Billed>
  readonly messages?: readonly {
    readonly role: string
    readonly tool_call_id?: string
    readonly content?: readonly { readonly text?: string; readonly type: string }[]
  }[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly attachments?: readonly { readonly kind: string; readonly filename: string | null }[]
  readonly error?: { readonly type?: string; readonly message?: string; readonly stack?: string }
}

export interface FoundTrace {
  readonly id: string
  readonly name: string
  readonly run_type: string
  readonly status: string
  readonly session_id: string | null
  readonly user_id: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly step_count: number
  readonly recovered_errors: number
  readonly token_usage: Readonly<Record<'input' | 'output' | 'total' | 'cache_read' | 'reasoning', number>>
  readonly cost_usd: number | null
  readonly steps: readonly FoundStep[]
}

/** The trace that OpenTelemetry knows by this id. */
export async function findTrace({ client }: Service, otelTraceId: string): Promise<FoundTrace> {
  const answer = await client.get(`/v1/traces/${otelTraceId}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json<FoundTrace>()
}

/** Nothing counts twice: the tokens of these traces are those that the stand-in has billed. */
export function assertBilled(traces: readonly FoundTrace[], billed: Billed): void {
  const sum = (kind: keyof Billed) => traces.reduce((total, { token_usage: usage }) => total + usage[kind], 0)
  const found = {
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    reasoning: sum('reasoning'),
  }
  assert.deepEqual(found, billed)
}

/** What is read of a step: of its own messages, the role and the first text of each. */
export function said(step: FoundStep | undefined): readonly (readonly [role: string, text: string | undefined])[] {
  return (step?.messages ?? []).map(({ role, content }) => [role, content?.[0]?.text])
}
