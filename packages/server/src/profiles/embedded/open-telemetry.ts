import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { EmbeddedJournal } from '../../storage/embedded/embedded-journal.ts'
import { systemTimers } from '../../lib/time/timers.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { ProjectStore } from '../../ports/access/project-store.ts'
import type { ControlStore } from '../../storage/sql/open-control-store.ts'
import { DATA_FILES } from '../../storage/data-files.ts'
import { type ChdbEngine, openChdbEngine } from '../../storage/clickhouse/engine/chdb-engine.ts'
import { ClickHouseTraceStore } from '../../storage/clickhouse/rows/clickhouse-trace-store.ts'
import type { DamageRecord } from '../../storage/clickhouse/damage/damage-record.ts'
import { LoggedTraceStore } from '../../storage/embedded/logged-trace-store.ts'
import { openTelemetrySchema } from '../../storage/clickhouse/migrations/open-telemetry-schema.ts'
import { heldByDataLock } from '../../storage/clickhouse/migrations/schema-lease.ts'
import { checkParts, dropSpareParts } from '../../storage/clickhouse/parts/check-parts.ts'
import { PartsKeeper } from '../../storage/clickhouse/parts/parts-keeper.ts'
import { EMBEDDED_DIALECT } from '../../storage/clickhouse/engine/telemetry-dialect.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import { checkLostTransactions, findPartLosses, type FoundData } from './data-checks.ts'
import { type DeliveryLoss, type DeliveryLossSources, findDeliveryLoss } from '../../webhooks/deliver/delivery-loss.ts'
import type { Parts } from '../start/parts.ts'
import type { EmbeddedEnvironment } from './embedded-environment.ts'
import type { Losses } from './losses.ts'
import { describe, replayCommits } from './replay-commits.ts'

/** Engine sessions that answer reads at the same time. */
const READERS = 4

/**
 * Opens the engine in the data directory. Throws OperatorError when another process has it open, or it cannot be
 * opened.
 */
export async function openEngine(
  { config, dataDir, clock, logger }: EmbeddedEnvironment,
  damage: DamageRecord,
): Promise<ChdbEngine> {
  const directory = join(dataDir, DATA_FILES.telemetry)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return openChdbEngine({
    directory,
    memoryBytes: config.memoryBytes,
    readers: READERS,
    onReadError: (error) => logger.error({ error }, 'the telemetry store could not answer a read'),
    damage: {
      record: damage,
      clock,
      onDamage: ({ part, message, outcome }) =>
        logger.error({ table: part.table, part: part.name, cause: message, outcome }, 'a part of the store is damaged'),
      onError: (error, part) =>
        logger.error({ error, table: part?.table, part: part?.name }, 'a damaged part could not be set aside'),
    },
  })
}

interface TraceStoreParts {
  readonly engine: ChdbEngine
  readonly control: Pick<ControlStore, 'journal' | 'identity'>
  readonly deliverySources: DeliveryLossSources
  readonly damage: DamageRecord
  readonly found: FoundData
  /** Folders of inserts that the last run left torn. */
  readonly torn: readonly string[]
  readonly losses: Losses
  readonly readiness: Readiness
}

export interface OpenTraceStore {
  /** Deliveries that are lost, their loss accepted; null when there are none. */
  readonly deliveryLoss: DeliveryLoss | null
  /** The journal had lost commits, or its database other changes. */
  readonly journalLostChanges: boolean
  readonly store: LoggedTraceStore
}

/**
 * Updates the schema, compares engine, log and journal, repairs each from the others where possible, and settles the
 * rows that the last run left in the log, which is a part of its own. Throws OperatorError when acknowledged data is
 * missing and its loss not accepted: nothing has been removed then.
 */
export async function openTraceStore(
  { config, dataDir, logger }: EmbeddedEnvironment,
  parts: Parts,
  { engine, control, deliverySources, damage, found, torn, losses, readiness }: TraceStoreParts,
): Promise<OpenTraceStore> {
  const { journal, identity } = control
  const { record } = found
  const logFolder = join(dataDir, DATA_FILES.commitLog)
  await openTelemetrySchema(engine, { dialect: EMBEDDED_DIALECT, lease: heldByDataLock })
  const checked = await checkParts(engine, record)
  if (checked.repaired.length > 0)
    logger.warn({ parts: checked.repaired }, 'parts are used without a damaged index; the next merge makes it again')
  // Parts that were set aside have a record of their own.
  const missing = checked.missing.filter(({ table, name }) => !damage.isLost(table, name))
  findPartLosses(missing, losses)
  const replayed = await replayCommits(logFolder, journal, losses)
  if (replayed.commits > 1)
    logger.warn(
      replayed,
      'control.db had lost its last commits; the commit log restored them. Other changes of the same time (projects, keys, media) may be missing',
    )
  checkLostTransactions(found, replayed.commits, losses)
  const settledThrough = record?.settledThrough ?? null
  if (settledThrough !== null && journal.last().version < settledThrough) {
    losses.add(
      `control.db ends at commit ${journal.last().version}, but commits up to ${settledThrough} have been stored: it is older than the other files, or damaged. ` +
        'Without the missing commits, their idempotency keys, webhook events and places in the live stream are gone.',
    )
    if (losses.isAccepting) await skipTo(journal, settledThrough, engine)
  }
  // Only now: a journal that was restored is not behind the deliveries.
  const deliveryLoss = await findDeliveryLoss(deliverySources)
  if (deliveryLoss !== null) losses.add(deliveryLoss.detail)
  const newKeeper = () =>
    new PartsKeeper({
      engine,
      path: join(dataDir, DATA_FILES.partsRecord),
      storeId: identity.storeId,
      recorded: record,
      timers: systemTimers,
      onActive: (active) => damage.dropGone(active),
      onBroken: (broken) => {
        if (broken.length > 0)
          logger.error(
            { parts: broken },
            'parts are broken or could not be flushed; the parts that they were made from are kept',
          )
        const [first] = broken
        readiness.report(
          'engine',
          first === undefined ? null : `the part ${first.name} of ${first.table} is not whole yet`,
        )
      },
      onError: (error) => logger.error({ error }, 'the parts of the engine could not be recorded yet'),
    })
  const keeper = await parts.start('record of parts', newKeeper)
  const settled = new ClickHouseTraceStore(engine, {
    idLeadMs: () => journal.idLeadMs(),
    inserts: engine.inserts,
  })
  await settled
    .preparePurge()
    .catch((error: unknown) => logger.warn({ error }, 'deleted traces are not purged until there is space'))
  const openStore = () =>
    LoggedTraceStore.open(settled, logFolder, {
      committedVersion: journal.last().version,
      lastTraceId: journal.last().lastTraceId,
      settledThrough,
      lacksParts: missing.length > 0,
      onMissing: (gaps) => {
        for (const gap of gaps) losses.add(`${describe(gap)}; they were acknowledged and are in no other file.`)
        losses.settle()
      },
      settledRecord: keeper,
      secureJournal: () => identity.checkpoint(),
      fullText: config.fullText,
      timers: systemTimers,
      onSettledAtStart: (commits) => logger.info({ commits }, 'settled commits that the last run left in the log'),
      onError: (error) => {
        logger.error({ error }, 'commits could not be moved from the log into the engine yet')
        readiness.report('engine', 'the engine accepts no rows')
      },
      onRecovered: () => {
        logger.warn('the engine accepts rows again')
        readiness.report('engine', null)
      },
      onReleaseError: (error) => logger.error({ error }, 'a file of the commit log could not be removed yet'),
    })
  const store = await parts.startWith('commit log', openStore, (opened) =>
    opened.close().catch((error: unknown) => logger.error({ error }, 'the log keeps commits for the next start')),
  )
  if (!identity.partsRecorded) identity.markPartsRecorded()
  await dropSpareParts(engine, checked.spare)
  if (!losses.isAccepting) for (const folder of torn) await rm(folder, { recursive: true })
  keeper.start(
    () => store.settledVersion,
    () => store.releaseRecorded(),
  )
  const journalLostChanges = replayed.commits > 1 || found.lostTransactions > 1
  return { store, deliveryLoss, journalLostChanges }
}

/** The first ten characters of an id after its prefix are its time, milliseconds in base 32. */
const TIME_OF_ID =
  "arraySum(place -> (position('0123456789abcdefghjkmnpqrstvwxyz', substring(id, 3 + place, 1)) - 1) * pow(32, 10 - place), range(1, 11))"

/** The journal continues after what the engine holds. Reads the ids of all traces. */
async function skipTo(
  journal: Pick<EmbeddedJournal, 'skipTo'>,
  version: number,
  engine: TelemetryEngine,
): Promise<void> {
  const [row] = await engine.select(
    `SELECT max(id), toInt64(max(${TIME_OF_ID} - toUnixTimestamp64Milli(created_at))) FROM traces`,
  )
  const [greatestId, leadMs] = row as readonly [TraceId | '', number]
  journal.skipTo(version, greatestId === '' ? null : greatestId, Math.max(0, leadMs))
}

/**
 * Gives a control store that was lost and is new a row for each project with traces in the engine, so that keys can be
 * made for them.
 */
export async function adoptProjects(
  engine: TelemetryEngine,
  projects: Pick<ProjectStore, 'find' | 'create'>,
  createdAt: number,
): Promise<void> {
  for (const [id] of await engine.select('SELECT DISTINCT project_id FROM traces')) {
    const projectId = id as ProjectId
    if ((await projects.find(projectId)) !== undefined) continue
    await projects.create({ id: projectId, name: `recovered ${projectId.slice(-6)}`, createdAt }, [])
  }
}
