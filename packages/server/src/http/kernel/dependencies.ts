import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { AuditUseCases } from '../../audit/audit-log.ts'
import type { ClusterUseCases } from '../../clusters/use-cases.ts'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { ByteBudget } from '../../lib/flow/byte-budget.ts'
import type { ByteGate } from '../../lib/flow/byte-gate.ts'
import type { DomainError } from '../../lib/domain-error.ts'
import type { Timers } from '../../lib/time/timers.ts'
import type { WorkTurns } from '../../lib/flow/work-turns.ts'
import type { MediaUseCases } from '../../media/use-cases.ts'
import type { MetricUseCases } from '../../metrics/use-cases.ts'
import type { MonitorUseCases } from '../../monitors/use-cases.ts'
import type { Logger } from '../../operation/logging.ts'
import type { Metrics as Instruments } from '../../operation/metrics.ts'
import type { Readiness } from '../../operation/readiness.ts'
import type { PriceUseCases } from '../../pricing/use-cases.ts'
import type { TraceFacetStore } from '../../ports/traces/trace-facets.ts'
import type { FindPatterns } from '../../traces/insight/find-patterns.ts'
import type { CompareVersions } from '../../traces/insight/versions/compare-versions.ts'
import type { SenderUseCases } from '../../traces/read/list-senders.ts'
import type { SummaryUseCases } from '../../traces/read/list-summaries.ts'
import type { SearchSteps } from '../../traces/read/search-steps.ts'
import type { FindStepFacets } from '../../traces/read/step-facets.ts'
import type { RetentionUseCases } from '../../traces/retention/apply-retention.ts'
import type { DeletionUseCases } from '../../traces/retention/delete-matching.ts'
import type { ReadTraceRowGroup } from '../../traces/read/trace-row-groups.ts'
import type { TraceUseCases } from '../../traces/use-cases.ts'
import type { DashboardUseCases, ViewUseCases } from '../../views/use-cases.ts'
import type { WebhookUseCases } from '../../webhooks/subscriptions/use-cases.ts'
import type {
  Authenticator,
  KeyUseCases,
  ProjectUseCases,
  SeriesUseCases,
  SessionUseCases,
} from '../connections/ports.ts'
import type { Forwarding } from '../../ports/nodes/nodes.ts'
import type { KeyRates } from '../access/key-rates.ts'
import type { DashboardFiles } from '../routes/service/dashboard.ts'
import type { ShownSettings } from '../routes/service/settings.ts'

/** The parts of the service that the HTTP side needs. */
export interface HttpDependencies {
  readonly traces: TraceUseCases
  readonly media: MediaUseCases
  readonly metrics: MetricUseCases
  readonly prices: PriceUseCases
  readonly series: SeriesUseCases
  readonly facets: TraceFacetStore
  readonly summaries: SummaryUseCases
  readonly searchSteps: SearchSteps
  readonly readTraceRowGroup: ReadTraceRowGroup
  readonly findPatterns: FindPatterns
  readonly compareVersions: CompareVersions
  readonly stepFacets: FindStepFacets
  readonly senders: SenderUseCases
  readonly monitors: MonitorUseCases
  readonly views: ViewUseCases
  readonly dashboards: DashboardUseCases
  readonly webhooks: WebhookUseCases
  readonly clusters: ClusterUseCases
  readonly projects: ProjectUseCases
  readonly keys: KeyUseCases
  readonly deletions: DeletionUseCases
  readonly retention: RetentionUseCases
  readonly audit: AuditUseCases
  readonly sessions: SessionUseCases
  readonly authenticator: Authenticator
  readonly feed: JournalFeed
  readonly dashboard: DashboardFiles
  readonly settings: ShownSettings
  /**
   * With several nodes: resolves when this one shows all commits that any node had acknowledged before the call.
   * Awaited before each request is handled. Rejects with DomainError `storage_unavailable`. Absent where one process
   * has all data.
   */
  readonly current?: (() => Promise<void>) | undefined
  /** With several nodes, as SeveralNodes.hold. */
  readonly hold?: ((projectId: ProjectId) => Promise<() => void>) | undefined
  /** With several nodes: how requests that write reach the one that commits for their project. */
  readonly forwarding?: Forwarding | undefined
  /** The metrics for operators: see `GET /metrics`. */
  readonly instruments: Instruments
  readonly readiness: Readiness
  readonly logger: Logger
  readonly limits: Limits
  /** Connections open at once. */
  readonly mostConnections: number
  /** Why this many more bytes cannot be committed now, or null: see `GroupCommitter.refusal`. */
  readonly intakeRefusal: (bytes: number) => DomainError | null
  /** Shared by all request bodies. */
  readonly ingestBudget: ByteBudget
  /** Shared by the exports of OpenTelemetry that the budget cannot hold. */
  readonly exportRoom: ByteGate
  /** See `BodyRules.countingRoom`. */
  readonly countingRoom: ByteGate
  /** Shared by all requests: bodies are parsed in turns. */
  readonly work: WorkTurns
  /** Shared by all answers that may be large. */
  readonly answers: ByteGate
  readonly timers: Timers
  /** The limits of keys, for HTTP and gRPC together. */
  readonly keyRates: KeyRates
  /** Host names that the service serves, without ports; empty: all. */
  readonly hosts: readonly string[]
  /** The id of a request without one. */
  readonly newRequestId: () => string
  /** The version of the service for /healthz and the OpenAPI document. */
  readonly version: string
}
