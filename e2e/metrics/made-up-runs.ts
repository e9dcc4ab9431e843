import assert from 'node:assert/strict'
import type { Client } from '../lib/client.ts'

/** A run of an agent with a benchmark's reward, and its cost computed by hand. */
export interface Run {
  readonly task: number
  /** 0, 0.5 or 1; only a run with 1 is solved. */
  readonly reward: number
  readonly traceId: string
  readonly costUsd: number
}

/** Set for the project by the test, so that changes of the built-in list have no effect here. */
export const PRICED = { model: 'made-up/agent-7b', input: 3, cacheRead: 0.5, output: 12 }

const RUNS = 60
const TASKS = 7

/**
 * Enough runs for two pages of the list, each with a priced step, one whose model has no price, and one without a
 * model.
 */
export async function commitRuns(client: Client): Promise<Run[]> {
  const runs: Run[] = []
  for (let n = 0; n < RUNS; n++) {
    const task = n % TASKS
    const reward = [0, 1, 1, 0.5, 0][(n + task) % 5]!
    const [input, cached, output] = [1000 + 37 * n, 400 + n, 50 + 3 * n]
    const answer = await client.postTrace({
      name: 'made-up agent',
      metadata: { task_id: task, trial: Math.floor(n / TASKS), reward },
      steps: [
        { name: 'turn', type: 'llm', model: PRICED.model, token_usage: { input, cache_read: cached, output } },
        { name: 'turn', type: 'llm', model: 'nobody/has-priced-this', token_usage: { input, output } },
        { name: 'look up', type: 'tool' },
      ],
    })
    assert.equal(answer.status, 202, answer.text)
    const costUsd = ((input - cached) * PRICED.input + cached * PRICED.cacheRead + output * PRICED.output) / 1e6
    runs.push({ task, reward, traceId: answer.json<{ id: string }>().id, costUsd })
  }
  return runs
}
