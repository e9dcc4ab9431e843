import { setTimeout as sleep } from 'node:timers/promises'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { newTrace } from '../../crash/content.ts'
import type { SentTrace } from '../../crash/ledger.ts'
import { sendTrace, type Workload } from '../../crash/workload.ts'

const PAUSE_MS = 60

/**
 * Commits new traces, which no fault of ClickHouse or S3 may refuse. What one node acknowledged, the next request to
 * any node must show: alone, and at the top of the list.
 */
export async function readOwnWrites(workload: Workload): Promise<void> {
  const { random, ledger, killed, ended = killed } = workload
  while (!ended()) {
    await sleep(random.below(PAUSE_MS))
    const trace = newTrace(ledger, random, false)
    await sendTrace(workload, trace)
    if (trace.id === null || trace.deletion !== 'none') continue
    try {
      await (random.chance(0.7) ? readAlone(workload, trace) : readListed(workload, trace))
    } catch (error) {
      if (!killed()) ledger.violate(`${trace.name}: it cannot be read: ${String(error)}`)
    }
  }
}

async function readAlone({ client, ledger, mayRefuseReads }: Workload, trace: SentTrace): Promise<void> {
  const acknowledged = trace.steps.filter(({ id }) => id !== null).length
  const { status, text, json } = await client.get(`/v1/traces/${trace.id}`)
  if (mayRefuseReads?.(status) === true || trace.deletion !== 'none') return
  if (status !== 200) ledger.violate(`${trace.name} was acknowledged, and the next read says ${status} ${text}`)
  else if (json<Trace>().steps.length < acknowledged)
    ledger.violate(`${trace.name}: ${acknowledged} steps were acknowledged, the next read lacks some`)
}

async function readListed({ client, ledger, mayRefuseReads }: Workload, trace: SentTrace): Promise<void> {
  const { status, text } = await client.get('/v1/traces?limit=200')
  if (mayRefuseReads?.(status) === true || trace.deletion !== 'none') return
  if (status !== 200 || !text.includes(trace.id as string))
    ledger.violate(`${trace.name} was acknowledged, and the next list (${status}) lacks it`)
}
