import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEFAULT_LIMITS } from '@spoor/contract/limits'
import { META_KEY_LENGTH } from '@spoor/contract/schemas/traces/feed-query'
import { renderConfigHelp } from './config/render-settings.ts'
import { flagOf, limitSettingName, SETTINGS } from './config/settings.ts'
import { ConfigError, loadClientConfig, loadConfig } from './config.ts'
import { ipRange } from './lib/net/ip-address.ts'
import type { LogLevel } from './operation/logging.ts'

const KEY = `spoor_${'a'.repeat(36)}`

function problemsOf(env: Record<string, string>, args: string[] = []): readonly string[] {
  try {
    loadConfig(env, args)
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
  return []
}

test('without settings the documented defaults apply', () => {
  assert.deepEqual(loadConfig({ HOME: '/root', PATH: '/bin' }, []), {
    host: '127.0.0.1',
    port: 4319,
    otlpGrpcPort: 0,
    publicUrl: null,
    hosts: [],
    dataDir: './data',
    dataAccess: 'owner',
    bootstrapKey: null,
    logLevel: 'info',
    fullText: true,
    journalRetentionMs: 7 * 24 * 3_600_000,
    deliveryRetentionMs: 30 * 24 * 3_600_000,
    idempotencyMs: 30 * 24 * 3_600_000,
    auditRetentionMs: 365 * 24 * 3_600_000,
    queueMaxBytes: 64 * 1024 * 1024,
    ingestBufferBytes: 32 * 1024 * 1024,
    diskReserveBytes: 512 * 1024 * 1024,
    memoryBytes: 400 * 1024 * 1024,
    maxConnections: 10_000,
    shutdownTimeoutMs: 10_000,
    monitorIntervalMs: 15_000,
    secretKey: null,
    signingKey: null,
    sessionLifetimeMs: 604_800_000,
    s3: null,
    cluster: null,
    tlsCaFile: null,
    pricesFile: null,
    traceQuietMs: 30_000,
    webhookAllow: [],
    embeddings: null,
    naming: null,
    limits: DEFAULT_LIMITS,
    warnings: [],
  })
})

test('every setting is taken from its variable and from its flag, and the flag wins', () => {
  const valid = (name: string) => {
    const setting = SETTINGS.find((each) => each.name === name)
    if (name === 'SPOOR_OTLP_GRPC_PORT') return '4317'
    if (setting?.type === 'integer') return String(setting.maximum)
    if (name === 'SPOOR_SECRET_KEY' || name === 'SPOOR_SIGNING_KEY') return 'ab'.repeat(32)
    if (name === 'SPOOR_S3_BUCKET') return 'media'
    if (name === 'SPOOR_POSTGRES_URL') return 'postgresql://u:p@db/spoor'
    if (/CLICKHOUSE_(DATABASE|CLUSTER)/.test(name)) return 'other'
    if (name === 'SPOOR_S3_PREFIX') return 'spoor/'
    if (setting?.type === 'hosts') return 'traces.example.com, [::1]'
    if (setting?.type === 'ranges') return '10.0.0.0/8, ::1'
    if (setting?.type === 'origin') return 'https://s3.example:8443'
    if (setting?.type === 'url' || setting?.type === 'urls') return 'https://models.example/v1'
    return setting?.type === 'choice' ? (setting.choices.at(-1) ?? '') : setting?.type === 'secret' ? KEY : '/elsewhere'
  }
  const env = Object.fromEntries(SETTINGS.map(({ name }) => [name, valid(name)]))
  // The largest line and body need the largest queue and buffer, so one of these settings alone would contradict the
  // others.
  const { warnings, ...fromEnv } = loadConfig(env, [])
  assert.deepEqual(warnings, [])
  const isFlagless = (name: string) => SETTINGS.some((one) => one.name === name && one.environmentOnly)
  const fromFlags = loadConfig(
    Object.fromEntries(Object.entries(env).filter(([name]) => isFlagless(name))),
    SETTINGS.flatMap(({ name }) => (isFlagless(name) ? [] : [flagOf(name), valid(name)])),
  )
  assert.deepEqual(fromFlags, { ...fromEnv, warnings })
  const defaults: Record<string, unknown> = { ...loadConfig({}, []) }
  for (const [key, value] of Object.entries(fromEnv)) assert.notDeepEqual(value, defaults[key], key)
  for (const [limit, value] of Object.entries(fromEnv.limits))
    assert.notEqual(value, DEFAULT_LIMITS[limit as keyof typeof DEFAULT_LIMITS])
  assert.equal(loadConfig({ SPOOR_PORT: '1' }, ['--port=2']).port, 2)
  assert.equal(loadConfig({}, ['--data-dir=a=b']).dataDir, 'a=b')
})

test('an empty variable counts as not set, an empty flag does not', () => {
  assert.equal(loadConfig({ SPOOR_PORT: '', SPOOR_UNKNOWN: '' }, []).port, 4319)
  assert.deepEqual(problemsOf({}, ['--host=']), ['--host must not be empty'])
})

test('variables for the clients of a service are no misspelt settings of the service', () => {
  const env = { SPOOR_URL: 'http://127.0.0.1:1', SPOOR_API_KEY: KEY }
  assert.deepEqual(problemsOf(env), [])
  assert.deepEqual(loadClientConfig(env), { url: env.SPOOR_URL, apiKey: KEY })
  assert.deepEqual(loadClientConfig({ SPOOR_URL: '' }), { url: null, apiKey: null })
})

test('a variable of another program is ignored; one that looks like a misspelt setting is a warning', () => {
  const warningsOf = (env: Record<string, string>) => loadConfig(env, []).warnings
  assert.deepEqual(warningsOf({ SPOOR_WEBHOOK_SECRET: 'whsec_x', SPOOR_HOME: '/srv', SPOORS: '1' }), [])
  assert.deepEqual(warningsOf({ SPOOR_API_KEYS: KEY, SPOOR_DATADIR: 'x' }), [
    'SPOOR_API_KEYS is not a variable of Spoor and is ignored; did you mean SPOOR_API_KEY?',
    'SPOOR_DATADIR is not a variable of Spoor and is ignored; did you mean SPOOR_DATA_DIR?',
  ])
})

test('own hosts are only names and addresses', () => {
  const hostsOf = (raw: string) => loadConfig({ SPOOR_HOSTS: raw }, []).hosts
  assert.deepEqual(hostsOf('traces.example.com, 10.0.0.7,[::1],a_b'), [
    'traces.example.com',
    '10.0.0.7',
    '[::1]',
    'a_b',
  ])
  for (const wrong of ['https://traces.example.com', 'a:4319', '::1', '*.example.com', 'a,', 'a b', 'a..b', '.a']) {
    assert.match(problemsOf({ SPOOR_HOSTS: wrong })[0] ?? '', /^SPOOR_HOSTS is wrong: ".*" is no host name/, wrong)
  }
})

test('every problem is listed at once', () => {
  assert.deepEqual(
    problemsOf({ SPOOR_PORT: '70000', SPOOR_LOG_LEVEL: 'loud', SPOOR_BOOTSTRAP_KEY: 'hunter2' }, [
      '--memory-mb',
      '-5',
      '--prot',
      '1',
      'stray',
      '--host',
    ]),
    [
      '--prot is not a flag of Spoor; did you mean --port?',
      '"stray" is not a flag',
      '--host needs a value',
      'SPOOR_PORT must be a whole number from 0 to 65535, not "70000"',
      'SPOOR_BOOTSTRAP_KEY must be an API key: spoor_ and 36 letters and digits',
      'SPOOR_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      '--memory-mb must be a whole number from 200 to 1048576, not "-5"',
    ],
  )
})

test('the key for secrets is 32 bytes in hex or base64, and is never printed', () => {
  const bytes = Buffer.alloc(32, 0xfe)
  for (const text of ['hex', 'base64', 'base64url'] as const) {
    assert.deepEqual(loadConfig({ SPOOR_SECRET_KEY: bytes.toString(text) }, []).secretKey, bytes, text)
  }
  const problem = 'SPOOR_SECRET_KEY must be 32 bytes as 64 hex digits or as base64'
  for (const wrong of [
    'fe'.repeat(31),
    bytes.toString('base64').slice(4),
    `${bytes.toString('base64')}AAAA`,
    'hunter2',
  ]) {
    assert.deepEqual(problemsOf({ SPOOR_SECRET_KEY: wrong }), [problem])
  }
})

const S3_ENV = { SPOOR_S3_BUCKET: 'media', SPOOR_S3_ACCESS_KEY_ID: 'id', SPOOR_S3_SECRET_ACCESS_KEY: 's3cret' }

test('a bucket replaces the folder for media', () => {
  assert.deepEqual(loadConfig(S3_ENV, []).s3, {
    endpoint: null,
    publicEndpoint: null,
    bucket: 'media',
    region: 'us-east-1',
    accessKeyId: 'id',
    secretAccessKey: 's3cret',
    forcePathStyle: false,
    prefix: '',
    directUploads: true,
  })
  const other = loadConfig(S3_ENV, ['--s3-endpoint=http://127.0.0.1:9000/', '--s3-direct-uploads', 'off']).s3
  assert.deepEqual(
    [other?.endpoint, other?.forcePathStyle, other?.directUploads],
    ['http://127.0.0.1:9000', true, false],
  )
  assert.equal(loadConfig({ ...S3_ENV, SPOOR_S3_FORCE_PATH_STYLE: 'true' }, []).s3?.forcePathStyle, true)
})

test('half a bucket is refused', () => {
  assert.deepEqual(problemsOf({ SPOOR_S3_BUCKET: 'media' }), [
    'SPOOR_S3_BUCKET needs SPOOR_S3_ACCESS_KEY_ID',
    'SPOOR_S3_BUCKET needs SPOOR_S3_SECRET_ACCESS_KEY',
  ])
  assert.deepEqual(problemsOf({ SPOOR_S3_REGION: 'eu-central-1' }, ['--s3-endpoint', 'https://s3.example']), [
    'SPOOR_S3_REGION has no effect without SPOOR_S3_BUCKET',
    '--s3-endpoint has no effect without SPOOR_S3_BUCKET',
  ])
})

test('an endpoint is an origin, a prefix is folders', () => {
  for (const raw of [
    's3.example',
    'ftp://s3.example',
    'https://s3.example/media',
    'https://me:pw@s3.example',
    'https://x?y',
    '//x',
  ]) {
    const problem = 'SPOOR_S3_ENDPOINT must be http:// or https://, a host and maybe a port, and nothing behind them'
    assert.deepEqual(problemsOf({ ...S3_ENV, SPOOR_S3_ENDPOINT: raw }), [problem], raw)
  }
  for (const raw of ['/', '../', 'a', 'a//', 'a/b', 'a b/', './']) {
    assert.equal(problemsOf({ ...S3_ENV, SPOOR_S3_PREFIX: raw }).length, 1, raw)
  }
  assert.equal(loadConfig({ ...S3_ENV, SPOOR_S3_PREFIX: 'a/b.c/' }, []).s3?.prefix, 'a/b.c/')
  assert.equal(problemsOf({ ...S3_ENV, SPOOR_S3_BUCKET: 'a/b' }).length, 1)
})

test('addresses for webhooks are ranges or addresses, and a wrong one is named', () => {
  const { webhookAllow } = loadConfig({ SPOOR_WEBHOOK_ALLOW: '10.0.0.0/8, 127.0.0.1,fd00::/8' }, [])
  assert.deepEqual(webhookAllow, ['10.0.0.0/8', '127.0.0.1', 'fd00::/8'].map(ipRange))
  const problem = (raw: string) => problemsOf({ SPOOR_WEBHOOK_ALLOW: raw }).join()
  assert.equal(
    problem('10.0.0.0/8,10.0.0.1/8'),
    'SPOOR_WEBHOOK_ALLOW is wrong: "10.0.0.1/8" has bits set after its prefix; is 10.0.0.0/8 meant?',
  )
  assert.match(problem('10.0.0.0/8,localhost'), /is wrong: "localhost" is no address or range/)
  for (const raw of ['10.0.0.0/8,', ',', ' ', '10.0.0.0/8 127.0.0.1', '*']) assert.notEqual(problem(raw), '', raw)
})

test('an endpoint of models is a URL and a model, and maybe a key', () => {
  const env = { SPOOR_EMBEDDINGS_URL: 'https://models.example/v1?x=1', SPOOR_EMBEDDINGS_MODEL: 'BAAI/bge-m3' }
  const { embeddings, naming } = loadConfig(env, [
    '--naming-url',
    'http://127.0.0.1:8080',
    '--naming-model=chat',
    '--naming-api-key',
    'k',
  ])
  assert.deepEqual(embeddings, { url: 'https://models.example/v1?x=1', model: 'BAAI/bge-m3', apiKey: null })
  assert.deepEqual(naming, { url: 'http://127.0.0.1:8080/', model: 'chat', apiKey: 'k' })
})

test('half an endpoint is refused, and so is one that is no address, without printing its secrets', () => {
  assert.deepEqual(
    problemsOf({ SPOOR_NAMING_URL: 'http://x/v1', SPOOR_EMBEDDINGS_MODEL: 'm' }, ['--embeddings-api-key=k']),
    [
      'SPOOR_EMBEDDINGS_MODEL has no effect without SPOOR_EMBEDDINGS_URL',
      '--embeddings-api-key has no effect without SPOOR_EMBEDDINGS_URL',
      'SPOOR_NAMING_URL needs SPOOR_NAMING_MODEL',
    ],
  )
  for (const raw of [
    'models.example/v1',
    'ftp://models.example',
    'https://me:hunter2@models.example',
    'http://x/#v1',
    '/v1',
    'file:///v1',
  ]) {
    const problem = 'SPOOR_NAMING_URL must be http:// or https:// and a host, without a user name, a password or a #'
    assert.deepEqual(problemsOf({ SPOOR_NAMING_URL: raw, SPOOR_NAMING_MODEL: 'm' }), [problem], raw)
  }
  const named = { SPOOR_NAMING_URL: 'http://x/v1', SPOOR_NAMING_MODEL: 'm' }
  assert.equal(problemsOf({ ...named, SPOOR_NAMING_MODEL: 'a model' }).length, 1)
  const [problem] = problemsOf({ ...named, SPOOR_NAMING_API_KEY: 'hunter 2' })
  assert.equal(problem, 'SPOOR_NAMING_API_KEY must be letters, digits and signs, without spaces')
})

test('numbers are plain decimal digits', () => {
  for (const raw of ['1e3', '0x10', ' 80', '80.0', '+80', 'NaN', 'Infinity', '9'.repeat(400)]) {
    assert.equal(problemsOf({ SPOOR_PORT: raw }).length, 1, raw)
  }
})

test('a secret is never repeated in a problem', () => {
  assert.ok(!problemsOf({ SPOOR_BOOTSTRAP_KEY: 'hunter2' }).join().includes('hunter2'))
  assert.ok(
    !problemsOf({ ...S3_ENV, SPOOR_S3_SECRET_ACCESS_KEY: 'hunter 2' })
      .join()
      .includes('hunter'),
  )
  assert.ok(
    !problemsOf({ ...S3_ENV, SPOOR_S3_ENDPOINT: 'http://me:hunter2@s3' })
      .join()
      .includes('hunter2'),
  )
})

const CLUSTER_ENV = {
  ...S3_ENV,
  SPOOR_POSTGRES_URL: 'postgresql://spoor:hunter2@db/spoor',
  SPOOR_CLICKHOUSE_URL: 'http://clickhouse:8123',
  SPOOR_SECRET_KEY: 'ab'.repeat(32),
  SPOOR_SIGNING_KEY: 'cd'.repeat(32),
}

test('PostgreSQL, ClickHouse and a bucket select the cluster profile', () => {
  const { cluster, s3, signingKey } = loadConfig(CLUSTER_ENV, [])
  assert.deepEqual(cluster, {
    postgresUrl: 'postgresql://spoor:hunter2@db/spoor',
    nodeAddress: null,
    clickhouse: { urls: ['http://clickhouse:8123/'], user: 'default', password: '', database: 'spoor', cluster: null },
  })
  assert.equal(s3?.bucket, 'media')
  assert.deepEqual(signingKey, Buffer.from('cd'.repeat(32), 'hex'))
  const more = { SPOOR_CLICKHOUSE_PASSWORD: 'p w', SPOOR_CLICKHOUSE_CLUSTER: 'shards', SPOOR_CLICKHOUSE_DATABASE: 'x' }
  const { clickhouse } = loadConfig({ ...CLUSTER_ENV, ...more }, ['--clickhouse-user', 'me']).cluster ?? {}
  assert.deepEqual(clickhouse && { ...clickhouse, urls: [] }, {
    urls: [],
    user: 'me',
    password: 'p w',
    database: 'x',
    cluster: 'shards',
  })
  const at = { SPOOR_NODE_ADDRESS: 'http://10.0.0.5:4319' }
  assert.equal(loadConfig({ ...CLUSTER_ENV, ...at }, []).cluster?.nodeAddress, 'http://10.0.0.5:4319')
  assert.deepEqual(problemsOf(at), ['SPOOR_NODE_ADDRESS has no effect without a cluster'])
  assert.equal(loadConfig(S3_ENV, []).cluster, null)
})

test('one or two stores of a cluster are refused with what is missing', () => {
  const rest = 'without all three Spoor keeps its data in a folder'
  const without = (...names: string[]) =>
    problemsOf(
      Object.fromEntries(Object.entries(CLUSTER_ENV).filter(([name]) => !names.some((one) => name.includes(one)))),
    )
  assert.deepEqual(without('CLICKHOUSE', 'S3'), [
    `SPOOR_POSTGRES_URL selects the cluster profile, which also needs SPOOR_CLICKHOUSE_URL and SPOOR_S3_BUCKET; ${rest}`,
  ])
  assert.deepEqual(without('POSTGRES'), [
    `SPOOR_CLICKHOUSE_URL selects the cluster profile, which also needs SPOOR_POSTGRES_URL; ${rest}`,
  ])
  assert.deepEqual(without('S3'), [
    `SPOOR_POSTGRES_URL and SPOOR_CLICKHOUSE_URL select the cluster profile, which also needs SPOOR_S3_BUCKET; ${rest}`,
  ])
  assert.deepEqual(without('SECRET_KEY', 'SIGNING'), [
    'SPOOR_SECRET_KEY must be set for the cluster profile, the same on every node',
    'SPOOR_SIGNING_KEY must be set for the cluster profile, the same on every node',
  ])
  assert.deepEqual(problemsOf({ SPOOR_CLICKHOUSE_PASSWORD: 'x', SPOOR_TLS_CA_FILE: '/ca.pem' }), [
    'SPOOR_CLICKHOUSE_PASSWORD has no effect without SPOOR_CLICKHOUSE_URL',
    'SPOOR_TLS_CA_FILE has no effect without SPOOR_S3_BUCKET or the stores of a cluster',
  ])
  assert.deepEqual(problemsOf({ ...CLUSTER_ENV, SPOOR_CLICKHOUSE_URL: 'http://clickhouse:8123/?user=me' }), [
    'SPOOR_CLICKHOUSE_URL must have no parameters; user, password and database have settings of their own',
  ])
  const shards = { ...CLUSTER_ENV, SPOOR_CLICKHOUSE_URL: 'http://a:8123, http://b:8123' }
  assert.deepEqual(problemsOf(shards), [
    'SPOOR_CLICKHOUSE_URL names several servers, so SPOOR_CLICKHOUSE_CLUSTER must name the cluster whose shards they are',
  ])
  assert.deepEqual(loadConfig({ ...shards, SPOOR_CLICKHOUSE_CLUSTER: 'two' }, []).cluster?.clickhouse.urls, [
    'http://a:8123/',
    'http://b:8123/',
  ])
})

test('passwords of a cluster have no flag and are in no problem', () => {
  for (const name of ['SPOOR_POSTGRES_URL', 'SPOOR_CLICKHOUSE_PASSWORD', 'SPOOR_SIGNING_KEY']) {
    const [problem, ...others] = problemsOf({}, [flagOf(name), 'hunter2'])
    assert.deepEqual(others, [])
    assert.match(problem ?? '', new RegExp(`is no flag: set ${name} in the environment`))
    assert.ok(!problem?.includes('hunter2'))
  }
  for (const wrong of [
    { SPOOR_POSTGRES_URL: 'mysql://u:hunter2@db/spoor' },
    { SPOOR_CLICKHOUSE_URL: 'http://u:hunter2@clickhouse:8123' },
    { SPOOR_SIGNING_KEY: 'hunter2' },
  ]) {
    const problems = problemsOf({ ...CLUSTER_ENV, ...wrong })
    assert.equal(problems.length, 1)
    assert.ok(!problems.join().includes('hunter2'))
  }
})

test('settings that contradict one another are refused', () => {
  assert.deepEqual(problemsOf({ SPOOR_QUEUE_MAX_MB: '1' }), [
    'SPOOR_LIMIT_LINE_BYTES (4194304) must not be more than SPOOR_QUEUE_MAX_MB (1048576)',
    'SPOOR_LIMIT_TRACE_BODY_BYTES (16777216) must not be more than SPOOR_QUEUE_MAX_MB (1048576)',
  ])
  assert.equal(problemsOf({ SPOOR_LIMIT_LIST_LIMIT_MAX: '10' }).length, 1)
  assert.deepEqual(problemsOf({ SPOOR_OTLP_GRPC_PORT: '4319' }), [
    'SPOOR_OTLP_GRPC_PORT must not be SPOOR_PORT: gRPC has a port of its own',
  ])
})

test('the help names every setting', () => {
  for (const { name, environmentOnly } of SETTINGS) {
    assert.match(renderConfigHelp(), new RegExp(`^ {2}${environmentOnly ? name : flagOf(name)} `, 'm'))
  }
})

test('log levels are those that pino knows', () => {
  const setting = SETTINGS.find(({ name }) => name === 'SPOOR_LOG_LEVEL')
  const expected: readonly LogLevel[] = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
  assert.deepEqual(setting?.type === 'choice' ? setting.choices : null, expected)
})

test('the feed can be filtered by every metadata key that the settings allow', () => {
  const setting = SETTINGS.find(({ name }) => name === limitSettingName('metadataKeyLength'))
  assert.equal(setting?.type === 'integer' ? setting.maximum : null, META_KEY_LENGTH)
})
