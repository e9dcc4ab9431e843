import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { StartThread } from '../../clusters/worker/worker-thread.ts'
import type { StartingServer } from '../../http/connections/starting-server.ts'
import type { DomainError } from '../../lib/domain-error.ts'
import type { IdGenerator } from '../../lib/ids/ids.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { CommitMetrics } from '../../traces/commit/commit-metrics.ts'
import type { LeasedPart } from '../../operation/leased-runner.ts'
import type { DamageFigures, Figure } from '../../operation/metrics.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { Journal } from '../../ports/journal/journal.ts'
import type { LeaseEpoch } from '../../ports/leases/lease-store.ts'
import type { Log } from '../../ports/log/log.ts'
import type { BlobStore } from '../../ports/media/blob-store.ts'
import type { Forwarding } from '../../ports/nodes/nodes.ts'
import type { CommitWatch, TraceReads } from '../../ports/traces/trace-store.ts'
import type { DeliveryIntake } from '../../ports/webhooks/delivery-intake.ts'
import type { NodeList } from '../../storage/cluster/node-list.ts'
import type { TelemetryEngine } from '../../storage/clickhouse/engine/telemetry-engine.ts'
import type { SqlStores } from '../../storage/sql/sql-stores.ts'
import type { RecentMetricEvents } from '../../storage/recent/recent-metric-events.ts'
import type { SortedWalks } from '../../traces/read/sorted-walks.ts'
import type { OpenClusterStore } from '../../storage/sql/clusters/open-cluster-store.ts'
import type { DeliveryStore } from '../../storage/sql/deliveries/open-delivery-store.ts'

export interface ControlStores extends Omit<SqlStores, 'openSecretBox'> {
  readonly journal: Journal
}

type DeliveryStores = Pick<DeliveryStore, 'queue' | 'intake' | 'log'>

/** Work that only one node may do at a time. */
export interface SingleWork {
  readonly name: string
  /** Begins it, under a lease if there are several nodes. May be called again after `stop` of what it returned. */
  start(lease: LeaseEpoch | null): Promise<LeasedPart>
}

type ClusterStores = Pick<OpenClusterStore, 'jobs' | 'clusters' | 'schedules'>

/** Telemetry that is readable, in memory and in the engine. */
interface TelemetryReads extends TraceReads {
  /** Resolves when everything that was readable at the call is in the engine. */
  settled(): Promise<void>
  watch(listener: CommitWatch): void
  readonly recentMetricEvents: Pick<RecentMetricEvents, 'ofTrace' | 'list' | 'traceOf'>
}

/** The parts composed before the log that the log needs. */
export interface LogDependencies {
  readonly walks: SortedWalks
  readonly metrics: CommitMetrics
}

interface ClosableLog extends Log {
  close(): Promise<void>
}

/** A disk of this process that may fill up. */
export interface Disk {
  /** Why nothing can be committed now, or null. */
  commitRefusal(): DomainError | null
  /** Why a body of about this many bytes cannot be taken in now, or null. */
  refusal(announcedBytes?: number): DomainError | null
  /** Called before a deletion is accepted. */
  makeRoom(): void
  isFull(): boolean
}

/** The work of a profile around the removal of deleted traces from its files. */
interface PurgeHooks {
  /** Overwrites removed rows in the write-ahead logs of the databases. False if that must be tried again. */
  emptyLogs(): boolean
  onPurging(isUnderWay: boolean): void
}

/** Further parts if several nodes share the stores. */
interface SeveralNodes {
  /** The nodes that run, of which this one is one from `join` to `leave`. */
  readonly list: Pick<NodeList, 'owners' | 'join' | 'leave'>
  readonly forwarding: Forwarding
  /** Resolves when this node knows of all commits that any node had acknowledged before the call. */
  current(): Promise<void>
  /**
   * Resolves when their rows of the project are readable here. They stay so until the returned function is called, and
   * for some minutes. Rejects with DomainError `storage_unavailable`.
   */
  hold(projectId: ProjectId): Promise<() => void>
  /** Holds all projects that this node commits for now, for some minutes. Returns whether a project is one of them. */
  holdOwn(): Promise<(projectId: ProjectId) => boolean>
  /** Runs the work at one node at a time. */
  runSingle(work: SingleWork): { start(): void; stop(): Promise<void> }
  /** The intake of the dispatcher, whose writes are refused once another has taken the lease. */
  intakeUnder(lease: LeaseEpoch): DeliveryIntake
}

/**
 * What a profile opens before the service is composed. Optional members exist where one process has its data on a disk
 * of its own, or where there are several nodes.
 */
export interface ServiceStores {
  /** The port, which answers that the service is starting. */
  readonly held: StartingServer
  readonly newRequestId: () => string
  readonly readiness: Readiness
  readonly control: ControlStores
  readonly deliveries: DeliveryStores
  readonly clusterStore: ClusterStores
  readonly engine: TelemetryEngine
  readonly store: TelemetryReads
  readonly blobs: BlobStore
  /** Ids of traces sort after all earlier ones, whatever the clock says. */
  readonly ids: IdGenerator
  openLog(dependencies: LogDependencies): ClosableLog
  /** Called for errors of the one committer. */
  readonly onCommitError: (error: unknown, message: string) => void
  /** For the thread that computes discoveries. */
  readonly startClusterThread: StartThread
  /** Names this process among those on the same stores, as the holder of leases. */
  readonly holder: string
  /** The same for uploads in flight. */
  readonly uploadOwner: string
  readonly secretBox: SecretBox
  readonly signingKey: Uint8Array
  /** Uploads that look unfinished may have been acknowledged: their bytes stay. */
  readonly keepPendingUploads: boolean
  /** Bytes of all stores. */
  sizeBytes(): Promise<number>
  readonly purge?: PurgeHooks
  readonly disk?: Disk
  readonly damage?: DamageFigures & { lostVersion(projectId: string, traceId: TraceId): number | null }
  readonly nodes?: SeveralNodes
  /** Metrics of the profile alone. */
  readonly figures?: readonly Figure[]
}
