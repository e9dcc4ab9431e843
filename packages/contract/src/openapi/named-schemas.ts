import type { TSchema } from 'typebox'
import { Attachment } from '../schemas/attachment.ts'
import {
  Cluster,
  ClusterDetail,
  ClusterList,
  ClusterMap,
  ClusterMapPoint,
  ClusterRun,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  DiscoveryAccepted,
  DiscoveryBody,
  DiscoveryJob,
  DiscoveryResult,
  RepresentativeTrace,
} from '../schemas/cluster.ts'
import { CommitReceipt } from '../schemas/traces/commit-receipt.ts'
import {
  Delivery,
  DeliveryAttempt,
  DeliveryDetail,
  DeliveryList,
  RedeliveredCount,
  RedeliverFailed,
} from '../schemas/delivery.ts'
import { Health, Readiness, ReadinessCheck } from '../schemas/health.ts'
import { CreatedKey, Key, KeyCreate, KeyList } from '../schemas/key.ts'
import { AcceptedLine, AppendResponse, LineResult, RefusedLine } from '../schemas/traces/line-result.ts'
import { MediaUpload, UploadTarget } from '../schemas/media.ts'
import { AcceptedMetricEvent, MetricBatchResponse, MetricLineResult } from '../schemas/metrics/metric-batch.ts'
import { MetricEventBody } from '../schemas/metrics/metric-event-body.ts'
import { MetricEvent, MetricEventList } from '../schemas/metrics/metric-event.ts'
import {
  Metric,
  MetricCreate,
  MetricList,
  MetricOption,
  MetricOptionBody,
  MetricPatch,
} from '../schemas/metrics/metric.ts'
import { Price, PriceBody, PriceList } from '../schemas/price.ts'
import { Sender, SenderAdvice, SenderList } from '../schemas/sender.ts'
import { MetricSeries, MetricSeriesPoint, StepSeries, TraceSeries } from '../schemas/series.ts'
import {
  Monitor,
  MonitorCreate,
  MonitorFilters,
  MonitorHistory,
  MonitorHistoryEntry,
  MonitorList,
  MonitorPatch,
  MonitorPreview,
  MonitorPreviewResult,
  MonitorSource,
} from '../schemas/monitor.ts'
import { ErrorCodeName, FieldProblem, Problem, ProblemType, ProblemTypeList } from '../schemas/problem.ts'
import { Project, ProjectCreate, ProjectList } from '../schemas/project.ts'
import { Session, SessionCreate } from '../schemas/session.ts'
import { Step, StepPage } from '../schemas/traces/step.ts'
import { TailCommitted } from '../schemas/traces/tail-event.ts'
import { TokenTotals } from '../schemas/traces/token-usage.ts'
import { MessageBody, StepBody, TraceBody } from '../schemas/traces/trace-body.ts'
import { TracePatch } from '../schemas/traces/trace-patch.ts'
import { StepDifference, StepPair, TraceComparison } from '../schemas/traces/trace-comparison.ts'
import { FailurePatterns } from '../schemas/traces/failure-patterns.ts'
import { VersionList } from '../schemas/versions.ts'
import { SimilarTraces, TraceDivergence } from '../schemas/traces/trace-divergence.ts'
import { TraceFeed, TraceRow } from '../schemas/traces/trace-row.ts'
import { ValueOrigins } from '../schemas/traces/value-origins.ts'
import { PartialTrace, Trace } from '../schemas/traces/trace.ts'
import { Dashboard, DashboardCreate, DashboardList, DashboardPatch } from '../schemas/dashboard.ts'
import { View, ViewChart, ViewCreate, ViewList, ViewPatch, ViewQuery } from '../schemas/view.ts'
import {
  Webhook,
  WebhookCreate,
  WebhookList,
  WebhookPatch,
  WebhookRotate,
  WebhookWithSecret,
} from '../schemas/webhook.ts'
import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../events.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-event.ts'

/** `components.schemas` of the document. The names are stable: clients are generated from them. */
export const NAMED_SCHEMAS = {
  TraceBody,
  StepBody,
  Message: MessageBody,
  TokenUsage: StepBody.properties.token_usage,
  StepError: StepBody.properties.error,
  CommitReceipt,
  AppendResponse,
  LineResult,
  AcceptedLine,
  RefusedLine,
  TraceComparison,
  TraceDivergence,
  FailurePatterns,
  VersionList,
  SimilarTraces,
  ValueOrigins,
  StepPair,
  StepDifference,
  TraceFeed,
  TraceRow,
  TokenTotals,
  Trace,
  PartialTrace,
  Step,
  StepPage,
  Attachment,
  MediaUpload,
  UploadTarget,
  Metric,
  MetricOption,
  MetricList,
  MetricCreate,
  MetricOptionBody,
  MetricPatch,
  MetricEvent,
  MetricEventBody,
  MetricEventList,
  MetricBatchResponse,
  MetricLineResult,
  AcceptedMetricEvent,
  Price,
  PriceList,
  PriceBody,
  MetricSeries,
  MetricSeriesPoint,
  StepSeries,
  TraceSeries,
  Sender,
  SenderAdvice,
  SenderList,
  View,
  ViewList,
  ViewCreate,
  ViewPatch,
  ViewQuery,
  ViewChart,
  Dashboard,
  DashboardList,
  DashboardCreate,
  DashboardPatch,
  Monitor,
  MonitorList,
  MonitorCreate,
  MonitorPatch,
  MonitorSource,
  MonitorFilters,
  MonitorHistory,
  MonitorHistoryEntry,
  MonitorPreview,
  MonitorPreviewResult,
  Webhook,
  WebhookWithSecret,
  WebhookList,
  WebhookCreate,
  WebhookPatch,
  WebhookRotate,
  ...Object.fromEntries(DELIVERED_EVENT_TYPES.map((type) => [EVENT_TYPES[type].schema, WEBHOOK_EVENTS[type]])),
  Delivery,
  DeliveryDetail,
  DeliveryAttempt,
  DeliveryList,
  RedeliverFailed,
  RedeliveredCount,
  Cluster,
  ClusterList,
  ClusterDetail,
  RepresentativeTrace,
  ClusterMap,
  ClusterMapPoint,
  ClusterRun,
  ClusterRunList,
  ClusterSchedule,
  ClusterScheduleBody,
  DiscoveryBody,
  DiscoveryAccepted,
  DiscoveryJob,
  DiscoveryResult,
  TracePatch,
  TailCommitted,
  Project,
  ProjectList,
  ProjectCreate,
  Key,
  CreatedKey,
  KeyList,
  KeyCreate,
  Session,
  SessionCreate,
  Health,
  Readiness,
  ReadinessCheck,
  Problem,
  FieldProblem,
  ErrorCode: ErrorCodeName,
  ProblemType,
  ProblemTypeList,
} as const satisfies Record<string, TSchema>
