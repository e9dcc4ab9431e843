/**
 * The caller's time of a step: what the code that records waits for. The service is a stand-in that takes everything.
 *
 *     node bench/recorder.bench.ts
 */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createRecorder } from '@spoor/sdk'

const STEPS_OF_TRACE = 100
const TRACES = 300
const MESSAGES = [
  { role: 'user', content: 'x'.repeat(500) },
  { role: 'assistant', content: 'y'.repeat(500) },
]

const server = createServer((request, response) => void request.resume().on('end', () => response.end('{}')))
await once(server.listen(0, '127.0.0.1'), 'listening')
const spoor = createRecorder({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'key' })

const times: number[] = []
for (let at = 0; at < TRACES; at++) {
  spoor.trace('run', (trace) => {
    const started = performance.now()
    for (let step = 0; step < STEPS_OF_TRACE; step++) {
      trace.step(
        'answer',
        { type: 'llm', model: 'm' },
        (one) => void one.messages(MESSAGES).usage({ input: 10, output: 5 }),
      )
    }
    times.push(((performance.now() - started) * 1000) / STEPS_OF_TRACE)
  })
  await new Promise((resolve) => setImmediate(resolve))
}
const { stored } = await spoor.flush()
// The first ones are compiled yet.
const warm = times.slice(TRACES / 10).sort((a, b) => a - b)
const mean = warm.reduce((sum, one) => sum + one, 0) / warm.length
const median = warm[Math.floor(warm.length / 2)] ?? 0
const p99 = warm[Math.floor(warm.length * 0.99)] ?? 0
console.log(
  `caller's time of a step: mean ${mean.toFixed(1)} µs, median ${median.toFixed(1)} µs, p99 ${p99.toFixed(1)} µs (at most 30); ${stored} stored`,
)
server.close()
server.closeAllConnections()
