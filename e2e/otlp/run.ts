/**
 * Requests of each sender that are sent again after kill -9: none lost, none stored twice. With `--sdks` the clients of
 * LangSmith, Langfuse and OpenTelemetry record together and send again by themselves.
 *
 *     node e2e/otlp/run.ts [--rounds 100] [--sender langsmith] [--sdks]
 *
 * Ends with 1 if anything is missing or doubled.
 */
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { Service } from '../lib/service.ts'
import { resendAfterKills, SENDERS } from './resend-after-kills.ts'
import { killUnderSdks } from './sdk-kills.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    sender: { type: 'string' },
    sdks: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const tell = (name: string) => (round: number) =>
  console.log(`${name}: round ${round + 1} of ${rounds}: 0 lost, 0 doubled`)
exitOnSignals()
if (values.sdks) await killUnderSdks(rounds, tell('SDKs'))
for (const [name, sender] of values.sdks ? [] : Object.entries(SENDERS)) {
  if (name !== (values.sender ?? name)) continue
  await using service = await Service.start()
  await resendAfterKills(service, [{ sender, key: service.key }], rounds, tell(name))
}
