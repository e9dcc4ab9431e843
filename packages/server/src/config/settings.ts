import { LIMIT_NAMES, type LimitName, LIMITS } from '@spoor/contract/limits'

/** One setting of the service: an environment variable, and a flag of `spoor serve` for the same. */
export type Setting = {
  readonly name: `SPOOR_${string}`
  /** Shown in the table and in `--help`: its effect and its unit. */
  readonly description: string
  /** It has no flag: other users of the machine can see the flags of a process. */
  readonly environmentOnly?: true
} & (
  | { readonly type: 'integer'; readonly default: number; readonly minimum: number; readonly maximum: number }
  | { readonly type: 'choice'; readonly default: string; readonly choices: readonly string[] }
  /** An empty default means "not set". */
  | { readonly type: 'text'; readonly default: string; readonly pattern?: RegExp; readonly patternMeaning?: string }
  /** Only scheme, host and port; not set by default. */
  | { readonly type: 'origin' }
  /** An HTTP address, which may have a path and a query; not set by default. */
  | { readonly type: 'url' }
  /** Several of them, separated by commas; none by default. */
  | { readonly type: 'urls' }
  /** IP addresses and CIDR ranges, separated by commas; none by default. */
  | { readonly type: 'ranges' }
  /** Host names and addresses without ports, separated by commas; none by default. */
  | { readonly type: 'hosts' }
  /** No default; its value is never printed. */
  | { readonly type: 'secret'; readonly pattern: RegExp; readonly patternMeaning: string }
)

/** 1 MB is 1024 × 1024 bytes in every setting. */
const MAXIMUM_MB = 1024 * 1024

/** The form of 32 bytes: 64 hex digits, or base64 of either alphabet. */
const SECRET_KEY = /^([0-9A-Fa-f]{64}|[0-9A-Za-z+/_-]{42}[AEIMQUYcgkosw048]=?)$/

const DATABASE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const MODEL_NAME = /^[\x21-\x7e]{1,200}$/

export function limitSettingName(limit: LimitName): `SPOOR_LIMIT_${string}` {
  return `SPOOR_LIMIT_${limit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

function modelEndpointSettings(part: 'EMBEDDINGS' | 'NAMING', purpose: string): readonly Setting[] {
  return [
    {
      name: `SPOOR_${part}_URL`,
      type: 'url',
      description: `OpenAI-compatible endpoint that ${purpose}, such as http://127.0.0.1:8080/v1; needs the model`,
    },
    {
      name: `SPOOR_${part}_MODEL`,
      type: 'text',
      default: '',
      pattern: MODEL_NAME,
      patternMeaning: 'the name of a model: at most 200 letters, digits and signs, without spaces',
      description: 'the model it is asked for',
    },
    {
      name: `SPOOR_${part}_API_KEY`,
      type: 'secret',
      pattern: /^[\x21-\x7e]{1,4096}$/,
      patternMeaning: 'letters, digits and signs, without spaces',
      description: 'the key it wants, if any',
    },
  ]
}

function integer(
  name: Setting['name'],
  [minimum, unset, maximum]: readonly [number, number, number],
  description: string,
): Setting {
  return { name, type: 'integer', default: unset, minimum, maximum, description }
}

/** Without `unset`, the first choice is the default. */
function choice(
  name: Setting['name'],
  choices: readonly [string, ...string[]],
  description: string,
  unset = choices[0],
): Setting {
  return { name, type: 'choice', default: unset, choices, description }
}

function text(name: Setting['name'], unset: string, description: string): Setting {
  return { name, type: 'text', default: unset, description }
}

/** Everything that can be set, in the order it is documented. */
export const SETTINGS: readonly Setting[] = [
  text('SPOOR_HOST', '127.0.0.1', 'address to listen on; 0.0.0.0 for all'),
  integer('SPOOR_PORT', [0, 4319, 65_535], 'port to listen on; 0 picks a free one'),
  integer('SPOOR_OTLP_GRPC_PORT', [0, 0, 65_535], 'port for OpenTelemetry over gRPC, usually 4317; 0: gRPC is off'),
  {
    name: 'SPOOR_HOSTS',
    type: 'hosts',
    description:
      'host names the service is reached by, with commas between; requests for others get 421; without it all are answered',
  },
  {
    name: 'SPOOR_PUBLIC_URL',
    type: 'origin',
    description:
      'address that people open the dashboard by, such as https://spoor.example.com; messages to Slack, Discord and PagerDuty link to it',
  },
  text('SPOOR_DATA_DIR', './data', 'folder that holds everything stored'),
  choice(
    'SPOOR_DATA_ACCESS',
    ['owner', 'group', 'unchecked'],
    'whom the modes of the data folder and its keys may let in; the start ends when they let in more',
  ),
  {
    name: 'SPOOR_BOOTSTRAP_KEY',
    type: 'secret',
    pattern: /^spoor_[0-9A-Za-z]{36}$/,
    patternMeaning: 'an API key: spoor_ and 36 letters and digits',
    description: "value of the first project's first key, for automation; without it one is made and printed once",
  },
  choice(
    'SPOOR_LOG_LEVEL',
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'least severe log line written to standard error',
    'info',
  ),
  choice('SPOOR_FULL_TEXT', ['on', 'off'], 'index names and message texts for search (more disk, slower intake)'),
  integer('SPOOR_JOURNAL_RETENTION_HOURS', [1, 168, 87_600], 'how far back the tail can be resumed, hours'),
  integer(
    'SPOOR_IDEMPOTENCY_DAYS',
    [1, 30, 3650],
    'how long idempotency keys of traces and steps are known at least, days',
  ),
  integer(
    'SPOOR_DELIVERY_RETENTION_HOURS',
    [1, 720, 87_600],
    'how long finished deliveries of webhooks and their attempts are kept, hours',
  ),
  integer('SPOOR_AUDIT_RETENTION_DAYS', [1, 365, 36_500], 'how long entries of the audit log are kept, days'),
  integer(
    'SPOOR_TRACE_QUIET_SECONDS',
    [1, 30, 3600],
    'how long nothing comes of a trace in pieces, after its root, before it is complete, seconds',
  ),
  integer('SPOOR_QUEUE_MAX_MB', [1, 64, MAXIMUM_MB], 'bytes waiting to be committed before intake answers 503, MB'),
  integer('SPOOR_INGEST_BUFFER_MB', [1, 32, MAXIMUM_MB], 'request bodies held in memory at once, MB'),
  integer('SPOOR_DISK_RESERVE_MB', [0, 512, MAXIMUM_MB], 'free disk space below which intake answers 503, MB'),
  integer('SPOOR_MEMORY_MB', [200, 400, MAXIMUM_MB], 'memory cap of the storage engine, MB'),
  integer(
    'SPOOR_MAX_CONNECTIONS',
    [10, 10_000, 1_000_000],
    'connections open at once, tails included; one address alone gets half of them',
  ),
  integer(
    'SPOOR_SHUTDOWN_TIMEOUT_SECONDS',
    [1, 10, 3600],
    'longest graceful stop before the process ends anyway, seconds',
  ),
  integer('SPOOR_MONITOR_INTERVAL_SECONDS', [1, 15, 3600], 'within how many seconds monitors report a crossing'),
  {
    name: 'SPOOR_SECRET_KEY',
    type: 'secret',
    pattern: SECRET_KEY,
    patternMeaning: '32 bytes as 64 hex digits or as base64',
    description:
      'key for the secrets and addresses of webhooks, 32 bytes in hex or base64; without it the file secrets.key; a cluster needs it',
  },
  {
    name: 'SPOOR_SIGNING_KEY',
    type: 'secret',
    environmentOnly: true,
    pattern: SECRET_KEY,
    patternMeaning: '32 bytes as 64 hex digits or as base64',
    description:
      'key for signed URLs of uploads, 32 bytes in hex or base64; without it the file signing.key; a cluster needs it',
  },
  integer('SPOOR_SESSION_HOURS', [1, 168, 8760], 'how long a browser stays signed in, hours'),
  {
    name: 'SPOOR_S3_BUCKET',
    type: 'text',
    default: '',
    pattern: /^[0-9A-Za-z][0-9A-Za-z._-]{1,254}$/,
    patternMeaning: 'the name of a bucket',
    description: 'bucket that media is kept in, rather than in the data folder; needs the two keys',
  },
  { name: 'SPOOR_S3_ENDPOINT', type: 'origin', description: "address of the S3 service; without it Amazon's" },
  text('SPOOR_S3_REGION', 'us-east-1', 'region of the bucket'),
  text('SPOOR_S3_ACCESS_KEY_ID', '', 'who the service is at the S3 service'),
  {
    name: 'SPOOR_S3_SECRET_ACCESS_KEY',
    type: 'secret',
    pattern: /^[\x21-\x7e]{1,1024}$/,
    patternMeaning: 'letters, digits and signs, without spaces',
    description: 'the secret that belongs to it',
  },
  choice(
    'SPOOR_S3_FORCE_PATH_STYLE',
    ['auto', 'true', 'false'],
    'name the bucket in the path, not in the host name; auto: when there is an endpoint',
  ),
  {
    name: 'SPOOR_S3_PREFIX',
    type: 'text',
    default: '',
    pattern: /^([0-9A-Za-z_-][0-9A-Za-z._-]*\/)*$/,
    patternMeaning: 'folders, each with a slash behind it, such as spoor/',
    description: 'in front of the names of all objects, such as spoor/',
  },
  {
    name: 'SPOOR_S3_PUBLIC_ENDPOINT',
    type: 'origin',
    description: 'address that direct uploads reach the S3 service by, when it is another one',
  },
  choice(
    'SPOOR_S3_DIRECT_UPLOADS',
    ['on', 'off'],
    'signed URLs lead to the S3 service itself; off: through this service',
  ),
  {
    name: 'SPOOR_POSTGRES_URL',
    type: 'secret',
    environmentOnly: true,
    pattern: /^postgres(ql)?:\/\/\S{1,4096}$/,
    patternMeaning: 'a URL such as postgresql://user:password@host:5432/database?sslmode=verify-full',
    description:
      'database that the nodes of a cluster share, as postgresql://user:password@host:5432/database; sslmode=verify-full for TLS; needs ClickHouse and a bucket',
  },
  {
    name: 'SPOOR_NODE_ADDRESS',
    type: 'origin',
    description:
      'address that other nodes of the cluster reach this one by, such as http://10.0.0.5:4319; without it SPOOR_HOST, or the first address of the machine when that is 0.0.0.0',
  },
  {
    name: 'SPOOR_CLICKHOUSE_URL',
    type: 'urls',
    description:
      'ClickHouse server by HTTP, such as https://host:8443; with several shards one of each, in their order, with commas between; needs PostgreSQL and a bucket',
  },
  text('SPOOR_CLICKHOUSE_USER', 'default', 'user of ClickHouse, who may create and change the tables of the database'),
  {
    name: 'SPOOR_CLICKHOUSE_PASSWORD',
    type: 'secret',
    environmentOnly: true,
    pattern: /^[^\p{Cc}]{1,4096}$/u,
    patternMeaning: 'at most 4096 characters without control characters',
    description: 'the password of that user, if any',
  },
  {
    name: 'SPOOR_CLICKHOUSE_DATABASE',
    type: 'text',
    default: 'spoor',
    pattern: DATABASE_NAME,
    patternMeaning: 'a name of letters, digits and _',
    description: 'database of ClickHouse that holds the traces; created if it is missing',
  },
  {
    name: 'SPOOR_CLICKHOUSE_CLUSTER',
    type: 'text',
    default: '',
    pattern: DATABASE_NAME,
    patternMeaning: 'a name of letters, digits and _',
    description:
      'cluster of system.clusters on whose servers the tables are made, for shards or replicas; empty for one server',
  },
  text(
    'SPOOR_TLS_CA_FILE',
    '',
    'certificates (PEM) of more authorities to trust at PostgreSQL, ClickHouse and S3, beside those that Node knows',
  ),
  text(
    'SPOOR_PRICES_FILE',
    '',
    'list of prices that replaces an older built-in one; empty for prices.json of the data folder, if it exists',
  ),
  {
    name: 'SPOOR_WEBHOOK_ALLOW',
    type: 'ranges',
    description:
      'addresses that webhooks may reach although they are private, such as 10.1.0.0/16, with commas between',
  },
  ...modelEndpointSettings('EMBEDDINGS', 'embeds traces'),
  ...modelEndpointSettings('NAMING', 'names clusters'),
  ...LIMIT_NAMES.map((limit): Setting => {
    const { description, default: unset, minimum, maximum } = LIMITS[limit]
    const words = description.charAt(0).toLowerCase() + description.slice(1, -1).replaceAll('`', '')
    return integer(limitSettingName(limit), [minimum, unset, maximum], words)
  }),
]

/** Read by the commands that are clients of a running service. `serve` knows and ignores them. */
export const CLIENT_SETTINGS = ['SPOOR_URL', 'SPOOR_API_KEY'] as const

/** `SPOOR_DATA_DIR` is `--data-dir`. */
export function flagOf(name: string): string {
  return `--${name
    .replace(/^SPOOR_/, '')
    .toLowerCase()
    .replaceAll('_', '-')}`
}
