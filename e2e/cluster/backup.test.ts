import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { copyBucket } from '../../packages/server/src/storage/blobs/s3/s3-bucket.test-support.ts'
import { query } from '../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { askServer } from '../lib/clickhouse/ask-server.ts'
import { type ClusterParts, startClusterParts } from '../lib/cluster/parts.ts'
import { endOf, runSpoor } from '../lib/command.ts'
import { eventually } from '../lib/eventually.ts'
import { commit, keepCommitting, readEverything } from '../lib/keep-committing.ts'
import { serve, upload } from '../lib/media/media.ts'
import { MAIN, Service, serviceEnvironment } from '../lib/service.ts'

const NO_FOLDER = '/dev/null/no-folder'
const PAGE = new URL('../../docs/operate/cluster-backup.md', import.meta.url)

const servers = await startClusterParts()
if (typeof servers === 'string') test('a cluster is backed up', { skip: servers }, () => undefined)
else {
  after(() => servers[Symbol.asyncDispose]())
  testBackups(servers)
}

function testBackups({ environment, postgresql, clickhouse, s3 }: ClusterParts): void {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-cluster-backup-'))
  after(() => rmSync(folder, { recursive: true, force: true }))
  const [backUpScript = '', restoreScript = ''] = Array.from(
    readFileSync(PAGE, 'utf8').matchAll(/^```bash\n([^]*?)^```/gm),
    ([, script]) => script,
  )
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const start = (settings: Readonly<Record<string, string>>, args: readonly string[]) =>
    endOf(
      spawn(process.execPath, [MAIN, ...args], {
        cwd: folder,
        env: serviceEnvironment(NO_FOLDER, { ...environment, ...settings }),
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )

  test('while traces are written: what was acknowledged before the copy of PostgreSQL is there once', async () => {
    await using node = await Service.start({ dataDir: NO_FOLDER, environment })
    const { client } = node
    const early = await commit(client)
    const medium = await upload(client, { trace_id: early, kind: 'file' }, { content: 'bytes of a file' })
    const [deletedBefore, deletedBetween] = [await commit(client), await commit(client)]
    const remove = async (id: string) =>
      assert.equal((await client.call({ method: 'DELETE', path: `/v1/traces/${id}` })).status, 204)
    await remove(deletedBefore)
    const load = keepCommitting(client)
    await eventually('traces are committed', () => load.acknowledged.length >= 20)

    // The command waits before the copy of PostgreSQL, and the bucket is copied by this test.
    const [ready, go] = [join(folder, 'ready'), join(folder, 'go')]
    const script = backUpScript
      .replace(/^pg_dump/m, `: > ${ready}; while [ ! -e ${go} ]; do sleep 0.1; done\npg_dump`)
      .replace(/^aws .*\n/m, '')
    assert.notEqual(script.indexOf(ready), -1)
    const record = join(folder, 'first.record')
    const running = start({}, ['backup', '--record', record, '--', 'sh', file('backup.sh', script), 'first'])
    await Promise.race([eventually('ClickHouse is copied', () => existsSync(ready)), running])
    const between = load.acknowledged.length + 20
    await eventually('more traces are committed', () => load.acknowledged.length >= between)
    await remove(deletedBetween)
    assert.match((await runSpoor(NO_FOLDER, ['doctor'], environment)).out, /^leases .*backup: /m)
    await eventually('the metric says so', async () =>
      /^spoor_backup_running\S* 1$/m.test((await client.get('/metrics')).text),
    )
    // They would be deleted from the log, if it were not held.
    await query(postgresql.url, 'UPDATE settled_marks SET settled_at = settled_at - 600000')
    const acknowledged = [...load.acknowledged]
    writeFileSync(go, '')
    const ended = await running
    assert.equal(ended.code, 0, ended.error)
    assert.match(ended.out, /The copies are a backup\.$/m)
    await load.stop()
    const all = await readEverything(client)
    await s3.createBucket('copy')
    await copyBucket(s3, 'spoor', 'copy')
    await node.stop()

    await query(postgresql.url, 'CREATE DATABASE restored')
    const settings = {
      SPOOR_POSTGRES_URL: (environment['SPOOR_POSTGRES_URL'] ?? '').replace(/[^/]+$/, 'restored'),
      SPOOR_CLICKHOUSE_DATABASE: 'restored',
      SPOOR_S3_BUCKET: 'copy',
    }
    const restored = await endOf(
      spawn('sh', [file('restore.sh', restoreScript), 'first'], {
        cwd: folder,
        env: { ...process.env, ...environment, ...settings },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    )
    assert.equal(restored.code, 0, restored.error)
    const verify = async (changed: Readonly<Record<string, string>>) => {
      const stores = { ...environment, ...settings, ...changed }
      const { code, out, error } = await runSpoor(NO_FOLDER, ['recover', '--verify', record], stores)
      assert.equal(error, '')
      return [code, out] as const
    }
    assert.deepEqual(await verify({}), [0, 'The stores have all of the backup.\n'])
    await s3.createBucket('empty')
    assert.match(
      (await verify({ SPOOR_S3_BUCKET: 'empty' }))[1],
      /^The bucket lacks 1 of 1 media, .*\nThe stores are not/m,
    )
    const [code, later] = await verify({ SPOOR_CLICKHOUSE_DATABASE: 'spoor' })
    assert.equal(code, 1)
    assert.match(later, /^PostgreSQL is older than ClickHouse: /m)
    assert.match(later, /^ClickHouse has rows of commit \d+, which PostgreSQL does not know: /m)
    await askServer(clickhouse, 'ALTER TABLE restored.steps DETACH PARTITION ALL')
    assert.match(
      (await verify({}))[1],
      /^steps of \d{6}: there are 0 rows, and there were \d+ to \d+\.\nThe stores are not/,
    )
    await askServer(clickhouse, 'ALTER TABLE restored.steps ATTACH PARTITION ALL')
    assert.equal((await verify({}))[0], 0)
    const refused = await runSpoor(NO_FOLDER, ['recover'], { ...environment, ...settings })
    assert.match(
      refused.out,
      /^ClickHouse is older than PostgreSQL: [^]* commits to ClickHouse again\. Nothing is lost\.$/m,
    )
    // The copy of PostgreSQL says that the nodes of the time of the backup run, for 15 seconds.
    await query(postgresql.url.replace(/[^/]+$/, 'restored'), 'UPDATE leases SET until = 0')
    const recovered = await runSpoor(NO_FOLDER, ['recover', '--keep', 'postgresql'], { ...environment, ...settings })
    assert.equal(recovered.code, 0, recovered.error)

    await using there = await Service.start({
      dataDir: NO_FOLDER,
      environment: { ...environment, ...settings, SPOOR_BOOTSTRAP_KEY: node.key },
    })
    const found = await readEverything(there.client)
    for (const id of [early, ...acknowledged]) assert.ok(found.has(id), `${id} was acknowledged before the copy`)
    for (const [id, content] of found) assert.equal(content, all.get(id))
    for (const id of [deletedBefore, deletedBetween])
      assert.equal((await there.client.get(`/v1/traces/${id}`)).status, 404)
    const series = await there.client.get('/v1/traces/series?bucket=5200w&measure=count')
    const { points } = series.json<{ points: { value: number }[] }>()
    assert.deepEqual(
      points.map(({ value }) => value),
      [found.size],
    )
    assert.equal((await serve(there.client, medium.uri)).text, 'bytes of a file')
    const afterwards = await commit(there.client)
    assert.equal((await there.client.get(`/v1/traces/${afterwards}`)).status, 200)
    await there.stop()
    const doctor = await runSpoor(NO_FOLDER, ['doctor'], { ...environment, ...settings })
    assert.doesNotMatch(doctor.out, /^(settling|s3) +WRONG/m)
    assert.match((await verify({}))[1], /^PostgreSQL is of the timeline \w+:2, and the backup of \w+:1/)
  })

  test('a command that fails, is killed or loses the hold makes no backup', async () => {
    const failed = await start({}, ['backup', '--', 'sh', '-c', 'exit 3'])
    assert.deepEqual([failed.code, failed.error], [1, 'There is no backup: sh ended with 3.\n'])
    assert.match((await start({}, ['backup', '--', '/no/such/program'])).error, /\/no\/such\/program cannot be run/)
    assert.equal((await start({}, ['backup', '--'])).code, 2)
    const losing = `psql --quiet "$SPOOR_POSTGRES_URL" -c "DELETE FROM leases WHERE name = 'backup'"`
    const lost = await start({}, ['backup', '--', 'sh', '-c', losing])
    assert.equal(lost.code, 1)
    assert.match(lost.error, /^There is no backup: PostgreSQL was away for too long/)
    const killing = await start({}, ['backup', '--', 'sh', '-c', 'kill -9 $PPID'])
    assert.deepEqual([killing.code, killing.out], [null, ''])
  })
}
