import { type ProjectId, type TraceId } from '@spoor/contract/ids'
import { OPERATIONS } from '@spoor/contract/operations'
import { OTEL_TRACE_ID } from '@spoor/contract/otlp'
import type { FastifyInstance } from 'fastify'
import { ByteGate } from '../../../lib/flow/byte-gate.ts'
import { costOfStep, costOfUsage } from '../../../pricing/trace-cost.ts'
import { traceNotFound } from '../../../traces/commit/change-trace.ts'
import { compareTraces, COMPARED_BYTES } from '../../../traces/compare/compare-traces.ts'
import { toComparison } from '../../../wire/comparison-to-wire.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'
import { printRows } from './print-traces.ts'

/** Comparisons at once. The steps of both traces are in memory, and their pages need room among the answers. */
const AT_ONCE = 4

export function registerCompareRoute(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, prices, answers } = dependencies
  const room = new ByteGate(AT_ONCE * 2 * COMPARED_BYTES)

  serve(app, OPERATIONS.compareTraces, async ({ projectId, query, reply }) => {
    const held = await room.acquire(2 * COMPARED_BYTES)
    try {
      const text = await compare(projectId, query)
      return await sendHeldJson(reply, answers, async () => text)
    } finally {
      held.release()
    }
  })

  async function compare(projectId: ProjectId, query: { readonly left: TraceId; readonly right: TraceId }) {
    const price = await prices.pricer(projectId)
    const compared = await compareTraces(dependencies, {
      projectId,
      left: await ownId(projectId, query.left),
      right: await ownId(projectId, query.right),
      costOf: (step) => costOfStep(price, prices.contextLimit, step).usd,
    })
    const both = [compared.left, compared.right]
    const rows = await printRows(dependencies, projectId, both)
    const [left, right] = both.map(({ digest }, at) => ({ row: rows[at]!, costUsd: costOfUsage(price, digest.usage) }))
    return toComparison(compared, { left: left!, right: right! })
  }

  async function ownId(projectId: ProjectId, name: TraceId): Promise<TraceId> {
    if (!OTEL_TRACE_ID.test(name)) return name
    const id = await traces.findOtelTrace(projectId, name)
    if (id === null) throw traceNotFound(name)
    return id
  }
}
