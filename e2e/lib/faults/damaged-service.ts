import { randomBytes } from 'node:crypto'
import { Service } from '../service.ts'

export const STEPS_OF_EACH = 3

/**
 * A stopped service whose traces have all settled in the engine, so that its files can be damaged. Each begins with a
 * text that does not compress. So the largest blocks of traces are those of the column that every list reads.
 */
export async function stoppedServiceWith(traces: number): Promise<{ service: Service; ids: readonly string[] }> {
  const service = await Service.start()
  const ids: string[] = []
  const commit = async (number: number) => {
    const steps = Array.from({ length: STEPS_OF_EACH }, (_, at) => ({
      name: `s${at}`,
      messages:
        at === 0 ? [{ role: 'user', content: [{ type: 'text', text: randomBytes(90).toString('base64') }] }] : [],
      metadata: { word: `w${number}x${at}` },
    }))
    const answer = await service.client.postTrace({ name: `needle ${number}`, metadata: { number }, steps })
    ids.push(answer.json<{ id: string }>().id)
  }
  const next = Array.from({ length: traces }, (_, number) => number)
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (let number = next.pop(); number !== undefined; number = next.pop()) await commit(number)
    }),
  )
  await service.stop()
  return { service, ids }
}
