/**
 * Requests of each sender that are sent again after kill -9: none lost, none stored twice.
 *
 *     node e2e/otlp/run.ts [--rounds 100] [--sender langsmith]
 *
 * Ends with 1 if anything is missing or doubled.
 */
import { parseArgs } from 'node:util'
import { exitOnSignals } from '../lib/exit-on-signals.ts'
import { Service } from '../lib/service.ts'
import { resendAfterKills, SENDERS } from './resend-after-kills.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' }, sender: { type: 'string' } } })
const rounds = Number(values.rounds)
exitOnSignals()
for (const [name, sender] of Object.entries(SENDERS)) {
  if (name !== (values.sender ?? name)) continue
  await using service = await Service.start()
  await resendAfterKills(service, sender, rounds, (round) =>
    console.log(`${name}: round ${round + 1} of ${rounds}: 0 lost, 0 doubled`),
  )
}
