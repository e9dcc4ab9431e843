import { join } from 'node:path'
import type { Readiness } from '../../operation/readiness.ts'
import { DATA_FILES } from '../../storage/data-files.ts'
import { DamageRecord } from '../../storage/clickhouse/damage/damage-record.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'

/** Reads earlier damage; from now on `readiness` shows damage that the operator has not accepted. */
export async function openDamageRecord(
  { dataDir, clock, logger }: EmbeddedEnvironment,
  readiness: Readiness,
): Promise<DamageRecord> {
  const record = await DamageRecord.open({
    path: join(dataDir, DATA_FILES.damage),
    clock,
    onUnreadable: (line) => logger.error({ line: line.slice(0, 200) }, 'a line of damage.jsonl cannot be read'),
  })
  const show = () => {
    const notice = record.notice()
    if (notice === null) readiness.report('data', null)
    else if (notice.isLoss) readiness.report('data', notice.text)
    else readiness.note('data', notice.text)
  }
  record.watch(show)
  show()
  return record
}
