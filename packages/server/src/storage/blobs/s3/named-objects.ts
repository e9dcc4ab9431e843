import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { OperatorError } from '../../../lib/operator-error.ts'
import type { Timers } from '../../../lib/time/timers.ts'
import { S3Connection } from './s3-connection.ts'
import { isNotFound, statusOf } from './s3-error.ts'
import { S3_TUNING, type S3Settings } from './s3-settings.ts'

/** Whole objects of a bucket by their names behind its prefix, for commands. Methods throw OperatorError. */
export class NamedObjects {
  readonly #connection: S3Connection

  constructor(settings: S3Settings, timers: Timers) {
    this.#connection = new S3Connection(settings, S3_TUNING, timers)
  }

  /** Null if there is none. */
  async read(name: string): Promise<Buffer | null> {
    const { client } = this.#connection
    try {
      const { Body: body } = await client.send(new GetObjectCommand(this.#object(name)))
      return Buffer.from((await body?.transformToByteArray()) ?? [])
    } catch (error) {
      if (isNotFound(error)) return null
      throw this.#unusable(error)
    }
  }

  /** Replaces an object of this name at once. */
  async write(name: string, bytes: Buffer): Promise<void> {
    const { client, transfer } = this.#connection
    try {
      await client.send(new PutObjectCommand({ ...this.#object(name), Body: bytes }), transfer)
    } catch (error) {
      throw this.#unusable(error)
    }
  }

  close(): void {
    this.#connection.close()
  }

  #unusable(error: unknown): OperatorError {
    const { bucket, endpoint } = this.#connection.settings
    const status = statusOf(error)
    const answer = status === null ? '' : `, status ${status}`
    const reason = error instanceof Error ? `${error.name}: ${error.message}${answer}` : String(error)
    return new OperatorError(`The bucket ${bucket} at ${endpoint ?? 'Amazon S3'} cannot be used (${reason}).`, {
      cause: error,
    })
  }

  #object(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#connection.settings
    return { Bucket: bucket, Key: prefix + name }
  }
}
