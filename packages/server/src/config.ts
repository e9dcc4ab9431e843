import { type Limits, mapLimits } from '@spoor/contract/limits'
import { type ClusterConfig, findClusterProblems, toClusterConfig } from './config/cluster-config.ts'
import { findModelEndpointProblems, type ModelEndpointConfig, toModelEndpoint } from './config/model-endpoint-config.ts'
import { findS3Problems, toS3Config } from './config/s3-config.ts'
import { parseSetting, splitList } from './config/parse-setting.ts'
import { readGiven } from './config/read-given.ts'
import { type CLIENT_SETTINGS, limitSettingName, SETTINGS } from './config/settings.ts'
import { readBucketTarget } from './lib/net/bucket-target.ts'
import { ipRange, type IpRange } from './lib/net/ip-address.ts'
import type { LogLevel } from './operation/logging.ts'
import type { S3Account } from './lib/net/s3-account.ts'

/** Everything an operator can set, checked, in the units the code uses. */
export interface Config {
  readonly host: string
  /** 0: the system picks one. */
  readonly port: number
  /** 0: OTLP over gRPC is not taken. */
  readonly otlpGrpcPort: number
  /** Host names that the service answers for, as given; empty: all. */
  readonly hosts: readonly string[]
  /** Scheme, host and port of the dashboard as people open it; null if it is not known. */
  readonly publicUrl: string | null
  /** As given: relative to the working directory. */
  readonly dataDir: string
  /** Who the modes of the data folder may let in. */
  readonly dataAccess: 'owner' | 'group' | 'unchecked'
  /** Shaped like a key; its checksum is not verified here. */
  readonly bootstrapKey: string | null
  readonly logLevel: LogLevel
  readonly fullText: boolean
  readonly journalRetentionMs: number
  readonly deliveryRetentionMs: number
  readonly idempotencyMs: number
  readonly auditRetentionMs: number
  /** How long a trace that comes in pieces is quiet before it is complete. */
  readonly traceQuietMs: number
  readonly queueMaxBytes: number
  readonly ingestBufferBytes: number
  readonly diskReserveBytes: number
  readonly memoryBytes: number
  readonly maxConnections: number
  readonly shutdownTimeoutMs: number
  readonly monitorIntervalMs: number
  /** 32 bytes; null: the key is a file in the data folder. */
  readonly secretKey: Uint8Array | null
  /** 32 bytes; null: the key is a file in the data folder. */
  readonly signingKey: Uint8Array | null
  readonly sessionLifetimeMs: number
  /** Null: media is kept in the data folder. */
  readonly s3: S3Account | null
  /** Null: the embedded profile, with all data in the data folder. `s3` is set when this is. */
  readonly cluster: ClusterConfig | null
  /** Certificates of authorities for the connections to other services; null: only Node's own. */
  readonly tlsCaFile: string | null
  /** A list of prices; null: that of the data folder, if it has one. */
  readonly pricesFile: string | null
  /** Addresses that deliveries may reach although they are private. */
  readonly webhookAllow: readonly IpRange[]
  /** Null: the built-in embedder is used. */
  readonly embeddings: ModelEndpointConfig | null
  /** Null: clusters are named by their words. */
  readonly naming: ModelEndpointConfig | null
  readonly limits: Limits
  /** About variables that look like misspelt settings, one line each. */
  readonly warnings: readonly string[]
}

/** All problems of the configuration. `message` can be shown as it is, one line for each problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/**
 * The configuration of this process: its environment and the flags given to `spoor serve`. The only reader of
 * process.env.
 */
export function loadProcessConfig(args: readonly string[]): Config {
  return loadConfig(process.env, args)
}

/** `backups`: the bucket of the backups; null when they are in a folder. */
export interface BackupConfig extends Config {
  readonly backups: S3Account | null
}

/**
 * The configuration of a command that backs up to `target`, a folder or `s3://bucket/prefix`. The account is that of
 * the S3 settings, which then have an effect without SPOOR_S3_BUCKET.
 *
 * @throws ConfigError, or OperatorError if `target` names no bucket
 */
export function loadProcessBackupConfig(target: string): BackupConfig {
  const place = readBucketTarget(target)
  if (place === null) return { ...loadProcessConfig([]), backups: null }
  const named = loadProcessConfig(['--s3-bucket', place.bucket, '--s3-prefix', place.prefix])
  const hasBucket = (process.env['SPOOR_S3_BUCKET'] ?? '') !== ''
  return { ...named, s3: hasBucket ? loadProcessConfig([]).s3 : null, backups: named.s3 }
}

/** Address of the service and key for the commands that are clients; null what is not set. */
export interface ClientConfig {
  readonly url: string | null
  readonly apiKey: string | null
}

export function loadProcessClientConfig(): ClientConfig {
  return loadClientConfig(process.env)
}

/** An empty variable counts as not set. */
export function loadClientConfig(env: Readonly<Record<string, string | undefined>>): ClientConfig {
  const read = (name: (typeof CLIENT_SETTINGS)[number]) => {
    const value = env[name]
    return value === undefined || value === '' ? null : value
  }
  return { url: read('SPOOR_URL'), apiKey: read('SPOOR_API_KEY') }
}

/**
 * @param args flags only, `--data-dir x` or `--data-dir=x`; a flag wins over its variable
 * @throws ConfigError
 */
export function loadConfig(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Config {
  const given = readGiven(env, args)
  const problems = [...given.problems]
  const values = new Map<string, string | number | null>()
  for (const setting of SETTINGS) {
    const value = given.values.get(setting.name)
    const parsed = parseSetting(setting, value?.raw ?? null)
    if ('problem' in parsed) problems.push(`${value?.source ?? setting.name} ${parsed.problem}`)
    else values.set(setting.name, parsed.value)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  const config = { ...toConfig(values), warnings: given.warnings }
  const contradictions = [
    ...findContradictions(config),
    ...findS3Problems(values, given.values),
    ...findClusterProblems(values, given.values),
    ...findModelEndpointProblems(values, given.values),
  ]
  if (contradictions.length > 0) throw new ConfigError(contradictions)
  return config
}

function toConfig(values: ReadonlyMap<string, string | number | null>): Omit<Config, 'warnings'> {
  const text = (name: string) => String(values.get(name))
  const number = (name: string) => Number(values.get(name))
  const bytes = (name: string) => number(name) * 1024 * 1024
  const webhookAllow = values.get('SPOOR_WEBHOOK_ALLOW')
  const hosts = values.get('SPOOR_HOSTS')
  const publicUrl = values.get('SPOOR_PUBLIC_URL') ?? null
  const bootstrapKey = values.get('SPOOR_BOOTSTRAP_KEY')
  return {
    host: text('SPOOR_HOST'),
    port: number('SPOOR_PORT'),
    otlpGrpcPort: number('SPOOR_OTLP_GRPC_PORT'),
    publicUrl: publicUrl === null ? null : String(publicUrl),
    hosts: typeof hosts === 'string' ? splitList(hosts) : [],
    dataDir: text('SPOOR_DATA_DIR'),
    // One of the setting's choices, which are exactly these.
    dataAccess: text('SPOOR_DATA_ACCESS') as Config['dataAccess'],
    bootstrapKey: typeof bootstrapKey === 'string' ? bootstrapKey : null,
    // One of the setting's choices, which are exactly these.
    logLevel: text('SPOOR_LOG_LEVEL') as LogLevel,
    fullText: text('SPOOR_FULL_TEXT') === 'on',
    journalRetentionMs: number('SPOOR_JOURNAL_RETENTION_HOURS') * 3_600_000,
    deliveryRetentionMs: number('SPOOR_DELIVERY_RETENTION_HOURS') * 3_600_000,
    idempotencyMs: number('SPOOR_IDEMPOTENCY_DAYS') * 86_400_000,
    auditRetentionMs: number('SPOOR_AUDIT_RETENTION_DAYS') * 86_400_000,
    traceQuietMs: number('SPOOR_TRACE_QUIET_SECONDS') * 1000,
    queueMaxBytes: bytes('SPOOR_QUEUE_MAX_MB'),
    ingestBufferBytes: bytes('SPOOR_INGEST_BUFFER_MB'),
    diskReserveBytes: bytes('SPOOR_DISK_RESERVE_MB'),
    memoryBytes: bytes('SPOOR_MEMORY_MB'),
    maxConnections: number('SPOOR_MAX_CONNECTIONS'),
    shutdownTimeoutMs: number('SPOOR_SHUTDOWN_TIMEOUT_SECONDS') * 1000,
    monitorIntervalMs: number('SPOOR_MONITOR_INTERVAL_SECONDS') * 1000,
    secretKey: toSecretKey(values.get('SPOOR_SECRET_KEY') ?? null),
    signingKey: toSecretKey(values.get('SPOOR_SIGNING_KEY') ?? null),
    sessionLifetimeMs: number('SPOOR_SESSION_HOURS') * 3_600_000,
    s3: toS3Config(values),
    cluster: toClusterConfig(values),
    tlsCaFile: text('SPOOR_TLS_CA_FILE') || null,
    pricesFile: text('SPOOR_PRICES_FILE') || null,
    webhookAllow: typeof webhookAllow === 'string' ? splitList(webhookAllow).map(ipRange) : [],
    embeddings: toModelEndpoint(values, 'EMBEDDINGS'),
    naming: toModelEndpoint(values, 'NAMING'),
    limits: mapLimits((limit) => number(limitSettingName(limit))),
  }
}

/** Node accepts either alphabet for base64. */
function toSecretKey(text: string | number | null): Uint8Array | null {
  return text === null ? null : Buffer.from(String(text), String(text).length === 64 ? 'hex' : 'base64')
}

/**
 * Settings that are valid alone, but contradict each other: one would for ever refuse requests that the other allows.
 */
function findContradictions({ limits, queueMaxBytes, ingestBufferBytes, port, otlpGrpcPort }: Config): string[] {
  const atMost: readonly (readonly [string, number, string, number])[] = [
    ['SPOOR_LIMIT_LIST_LIMIT_DEFAULT', limits.listLimitDefault, 'SPOOR_LIMIT_LIST_LIMIT_MAX', limits.listLimitMax],
    ['SPOOR_LIMIT_LINE_BYTES', limits.lineBytes, 'SPOOR_LIMIT_NDJSON_REQUEST_BYTES', limits.ndjsonRequestBytes],
    ['SPOOR_LIMIT_LINE_BYTES', limits.lineBytes, 'SPOOR_QUEUE_MAX_MB', queueMaxBytes],
    ['SPOOR_LIMIT_TRACE_BODY_BYTES', limits.traceBodyBytes, 'SPOOR_QUEUE_MAX_MB', queueMaxBytes],
    ['SPOOR_LIMIT_TRACE_BODY_BYTES', limits.traceBodyBytes, 'SPOOR_INGEST_BUFFER_MB', ingestBufferBytes],
  ]
  const samePort =
    port === otlpGrpcPort && port > 0 ? ['SPOOR_OTLP_GRPC_PORT must not be SPOOR_PORT: gRPC has a port of its own'] : []
  const tooSmall = atMost
    .filter(([, smaller, , larger]) => smaller > larger)
    .map(
      ([smallerName, smaller, largerName, larger]) =>
        `${smallerName} (${smaller}) must not be more than ${largerName} (${larger})`,
    )
  return [...samePort, ...tooSmall]
}
