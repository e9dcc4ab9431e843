import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Service } from '../service.ts'

export const STEPS_OF_EACH = 3

/** A stopped service whose traces have all settled in the engine, so that its files can be damaged. */
export async function stoppedServiceWith(traces: number): Promise<{ service: Service; ids: readonly string[] }> {
  const service = await Service.start()
  const ids: string[] = []
  const commit = async (number: number) => {
    const steps = Array.from({ length: STEPS_OF_EACH }, (_, at) => ({
      name: `s${at}`,
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

/**
 * Flips a bit of the largest part of a table: in its middle, in whatever column that is, or in its last column, which
 * ends the file. Of steps that is `record`, which every read of a step takes.
 */
export function flipBit(dataDir: string, table: 'traces' | 'steps', place: 'middle' | 'last column' = 'middle'): void {
  const telemetry = join(dataDir, 'telemetry')
  const definition = readFileSync(join(telemetry, 'metadata', 'spoor', `${table}.sql`), 'utf8')
  const uuid = /UUID '([0-9a-f-]+)'/.exec(definition)?.[1] as string
  const folder = join(telemetry, 'store', uuid.slice(0, 3), uuid)
  const files = readdirSync(folder)
    .filter((name) => /^\d+_\d+_\d+_\d+$/.test(name))
    .map((name) => join(folder, name, 'data.bin'))
  const [largest] = files
    .map((path) => ({ path, bytes: readFileSync(path) }))
    .sort((one, other) => other.bytes.length - one.bytes.length)
  if (largest === undefined) throw new Error(`${table} has no part`)
  const { path, bytes } = largest
  const at = place === 'middle' ? bytes.length >> 1 : bytes.length - 16
  bytes[at] = (bytes[at] as number) ^ 4
  writeFileSync(path, bytes)
}
