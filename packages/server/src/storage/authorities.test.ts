import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { TLSSocket } from 'node:tls'
import { OperatorError } from '../lib/operator-error.ts'
import { systemClock } from '../lib/time/clock.ts'
import { systemTimers } from '../lib/time/timers.ts'
import { temporaryFolder } from './sql/temporary-store.test-support.ts'
import { readAuthorities } from './authorities.ts'
import { openS3BlobStore } from './blobs/s3/s3-blob-store.ts'
import { openClickHouseServer } from './clickhouse/server/clickhouse-server-engine.ts'
import { openPostgresql } from './sql/postgresql/open-postgresql.ts'
import { testPostgresql } from './sql/postgresql/test-postgresql.test-support.ts'
import { STORE_CERTIFICATE, STORE_KEY } from './store-certificate.test-support.ts'

const SECRETS = { key: STORE_KEY, cert: STORE_CERTIFICATE }

function fileWith(context: TestContext, text: string): string {
  const path = join(temporaryFolder(context), 'ca.pem')
  writeFileSync(path, text)
  return path
}

test('the authorities of a file are added to those that Node knows', (context) => {
  assert.equal(readAuthorities(null), null)
  const text = `# ours\n${STORE_CERTIFICATE}\n${STORE_CERTIFICATE}`
  const all = readAuthorities(fileWith(context, text)) ?? []
  assert.ok(all.length > 2)
  assert.deepEqual(all.slice(-2), [STORE_CERTIFICATE.trim(), STORE_CERTIFICATE.trim()])
})

test('a file without certificates, with a broken one, and no file are refused by name', (context) => {
  for (const text of ['', STORE_KEY, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n']) {
    assert.throws(() => readAuthorities(fileWith(context, text)), {
      name: 'OperatorError',
      message: /SPOOR_TLS_CA_FILE .*ca\.pem/,
    })
  }
  assert.throws(() => readAuthorities('/none/ca.pem'), { name: 'OperatorError', message: /SPOOR_TLS_CA_FILE .*ENOENT/ })
})

test('ClickHouse and S3 over TLS need an authority that the operator trusts', async (context) => {
  const server = createHttpsServer(SECRETS, (request, response) => {
    request.resume()
    response.end(request.url?.startsWith('/media') ? '' : '["26.7.1"]\n')
  })
  const url = `https://127.0.0.1:${await listen(context, server)}`
  const ca = readAuthorities(fileWith(context, STORE_CERTIFICATE))
  const engine = (trusted: typeof ca) => {
    const opened = openClickHouseServer({ url, user: 'u', password: '', ca: trusted, database: 'd', readers: 1 })
    context.after(() => opened.close())
    return opened
  }
  assert.deepEqual(await engine(ca).select('SELECT version()'), [['26.7.1']])
  await assert.rejects(engine(null).select('SELECT version()'), { name: 'DomainError', code: 'storage_unavailable' })
  const settings = {
    publicEndpoint: null,
    bucket: 'media',
    region: 'us-east-1',
    accessKeyId: 'a',
    secretAccessKey: 's',
  }
  const bucket = (trusted: typeof ca) =>
    openS3BlobStore({
      settings: { ...settings, endpoint: url, forcePathStyle: true, prefix: '', directUploads: true, ca: trusted },
      spoolFolder: temporaryFolder(context),
      clock: systemClock,
      timers: systemTimers,
      onLeftover: () => undefined,
    })
  ;(await bucket(ca)).close()
  await assert.rejects(bucket(null), { name: 'OperatorError', message: /there is no answer/ })
})

const postgresql = await testPostgresql()
if (typeof postgresql === 'string') test('PostgreSQL over TLS', { skip: postgresql }, () => undefined)
else {
  const { migratedUrl } = postgresql
  test('PostgreSQL over TLS: require and verify-full both check who answers', async (context) => {
    const url = new URL(await migratedUrl(context))
    const socketFolder = url.searchParams.get('host')
    const target = { host: url.hostname, port: Number(url.port || 5432) }
    if (socketFolder !== null) throw new Error('the test server listens on a port')
    let isSecure = false
    const proxy = createServer((client) => {
      client.once('data', (request) => {
        assert.equal(request.readInt32BE(4), 80_877_103, 'a request for TLS')
        client.write('S')
        const secured = new TLSSocket(client, { isServer: true, ...SECRETS })
        const server = connect(target)
        secured.on('secure', () => (isSecure = true))
        for (const [from, to] of [
          [secured, server],
          [server, secured],
        ] as const) {
          from.pipe(to)
          from.on('error', () => to.destroy())
        }
      })
    })
    const port = await listen(context, proxy)
    const open = async (parameters: string, host = '127.0.0.1', ca: readonly string[] | null = [STORE_CERTIFICATE]) => {
      const { database, close } = await openPostgresql({
        url: `postgresql://${url.username}:${url.password}@${host}:${port}${url.pathname}${parameters}`,
        ca,
        clock: systemClock,
        random: Math.random,
        pause: () => Promise.resolve(),
      })
      try {
        return await database.version()
      } finally {
        await close()
      }
    }
    for (const mode of ['require', 'verify-full']) {
      isSecure = false
      assert.equal(typeof (await open(`?sslmode=${mode}`)), 'number')
      assert.ok(isSecure)
      await assert.rejects(open(`?sslmode=${mode}`, '127.0.0.1', null), isRefusal(/SPOOR_TLS_CA_FILE/))
      await assert.rejects(open(`?sslmode=${mode}`, '127.0.0.2'), isRefusal(/127\.0\.0\.2/))
    }
    await assert.rejects(open('?sslmode=prefer'), isRefusal(/a sslmode that does not match/))
  })
}

function isRefusal(pattern: RegExp) {
  return (error: unknown) => error instanceof OperatorError && pattern.test(error.message)
}

async function listen(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  context.after(() => server.close())
  return (server.address() as AddressInfo).port
}
