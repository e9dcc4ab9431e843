import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TraceSeries } from '@spoor/contract/schemas/series'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { TraceFeed } from '@spoor/contract/schemas/traces/trace-row'
import { Service } from '../lib/service.ts'

const turn = (at: number) => ({
  name: 'turn',
  type: 'llm',
  model: 'gpt-4o',
  token_usage: { input: 1000 * (at + 1), output: 10 },
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Where is my order?' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: `call_${at}`, name: 'find_order', input: { id: 7 } }] },
  ],
})
const result = (at: number, text: string) => ({
  name: 'find_order',
  type: 'retrieval',
  messages: [{ role: 'tool', tool_call_id: `call_${at}`, content: [{ type: 'text', text }] }],
})

test('a loop whose steps come one by one is found, filtered, priced and summed, before and after a restart', async () => {
  await using service = await Service.start()
  const run = async (textOf: (at: number) => string) => {
    const { id } = (await service.client.postTrace({ name: 'support', steps: [] })).json<{ id: string }>()
    for (let at = 0; at < 4; at++) {
      const lines = [turn(at), result(at, textOf(at))].map((step) => JSON.stringify(step)).join('\n')
      await service.client.append(id, lines)
    }
    return id
  }
  const loop = await run(() => 'none')
  await run((at) => `${at} of 4 done`)
  const check = async () => {
    const trace = (await service.client.get(`/v1/traces/${loop}`)).json<Trace>()
    const wasted = 2010 + 3010 + 4010
    const [finding, ...others] = trace.findings
    assert.deepEqual([finding?.kind, finding?.tools, finding?.times], ['repeated_call', ['find_order'], 4])
    assert.deepEqual(
      finding?.step_ids,
      [1, 3, 5, 7].map((at) => trace.steps[at]?.id),
    )
    assert.deepEqual([finding?.wasted_tokens, trace.wasted_tokens, others], [wasted, wasted, []])
    assert.ok(finding!.wasted_cost_usd! > 0 && finding!.wasted_cost_usd! < trace.cost_usd!)
    for (const kind of ['any', 'repeated_call']) {
      const { traces } = (await service.client.get(`/v1/traces?finding=${kind}`)).json<TraceFeed>()
      assert.deepEqual(
        traces.map(({ id, finding_kinds: kinds }) => [id, kinds]),
        [[loop, ['repeated_call']]],
      )
    }
    assert.deepEqual((await service.client.get('/v1/traces?finding=cycle')).json<TraceFeed>().traces, [])
    const valueOf = async (measure: string) => {
      const path = `/v1/traces/series?measure=${measure}&bucket=all&stat=sum`
      return (await service.client.get(path)).json<TraceSeries>().points[0]?.value
    }
    assert.equal(await valueOf('wasted_tokens'), wasted)
    assert.equal(await valueOf('wasted_cost_usd'), finding!.wasted_cost_usd)
  }
  await check()
  await service.restart()
  await check()
})
