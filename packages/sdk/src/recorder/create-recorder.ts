import { Delivery } from './delivery.ts'
import { Recorder } from './recorder.ts'
import type { RecorderOptions } from './recorder-options.ts'
import { cacheFolder, environment } from './runtime.ts'
import { Service } from './service.ts'
import { Spool } from './spool.ts'

const KIB = 1024
const MIB = KIB * KIB

/** Never throws: with options that cannot work it warns, and the recorder records nothing. */
export function createRecorder(options: RecorderOptions = {}): Recorder {
  const onWarning = (message: string) => {
    try {
      const warn = options.onWarning ?? ((text: string) => globalThis.console.warn(text))
      warn(`spoor: ${message}`)
    } catch {
      // A warning must not stop what it warns of.
    }
  }
  const shutdownTimeoutMs = numberOr(options.shutdownTimeoutMs, 10_000)
  const settings = {
    sampleRate: numberOr(options.sampleRate, 1),
    keepOnError: options.keepOnError ?? false,
    mask: options.mask,
    shutdownTimeoutMs,
  }
  const url = String(options.url ?? environment('SPOOR_URL') ?? 'http://127.0.0.1:4319').replace(/\/+$/, '')
  const apiKey = options.apiKey ?? environment('SPOOR_API_KEY')
  if (apiKey === undefined || apiKey === '' || !/^https?:\/\/./.test(url)) {
    const problem = apiKey ? `${url} is no address of a service` : 'there is no key; set SPOOR_API_KEY or apiKey'
    onWarning(`nothing is recorded: ${problem}`)
    return new Recorder(settings, null)
  }
  const service = new Service({
    url,
    apiKey,
    serviceName: options.serviceName,
    fetch: options.fetch,
    timeoutMs: Math.ceil(shutdownTimeoutMs / 2),
  })
  const batchBytes = numberOr(options.batchBytes, MIB)
  const given = options.spoolDir ?? environment('SPOOR_SPOOL_DIR')
  const folder = given ?? cacheFolder(url, apiKey)
  const mostBytes = numberOr(options.spoolBytes, KIB * MIB)
  const exportOf = service.exportOf.bind(service)
  const ofSpool = { isGiven: given !== undefined, mostBytes, batchSize: batchBytes, exportOf, warn: onWarning }
  const spool = folder ? Spool.open({ folder, ...ofSpool }) : null
  const queueBytes = numberOr(options.queueBytes, 64 * MIB)
  const limits = { delayMs: numberOr(options.delayMs, 500), batchBytes, queueBytes, onWarning }
  return new Recorder(settings, new Delivery(limits, service, spool))
}

function numberOr(value: number | undefined, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise
}
