import { readdirSync } from 'node:fs'
import { after, test } from 'node:test'
import { startS3Server } from '../../../../../../e2e/lib/media/s3-server.ts'
import { testBlobStore } from '../../../ports/media/blob-store.conformance.ts'
import { TestBucket } from './s3-bucket.test-support.ts'

const server = await startS3Server()
if (typeof server === 'string') test('an S3 service', { skip: server }, () => undefined)
else {
  const bucket = await TestBucket.create(server, 'conformance', 'some/where/')
  after(async () => {
    bucket[Symbol.dispose]()
    await server[Symbol.asyncDispose]()
  })
  const store = bucket.store()

  testBlobStore(() => store, {
    reachable: true,
    residue: async () => (await bucket.content()).length + readdirSync(bucket.folder).length,
  })
}
