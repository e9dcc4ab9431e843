import type { Parts } from './parts.ts'
import type { ServiceStores, SingleWork } from './service-stores.ts'

/** Starts as a part what only one node may do: at once, or with several nodes while this one holds its lease. */
export async function startSingle(
  { nodes }: Pick<ServiceStores, 'nodes'>,
  parts: Parts,
  work: SingleWork,
): Promise<void> {
  if (nodes === undefined) {
    await parts.start(work.name, () => work.start(null))
    return
  }
  const runner = nodes.runSingle(work)
  await parts.startWith(
    work.name,
    () => runner.start(),
    () => runner.stop(),
  )
}
