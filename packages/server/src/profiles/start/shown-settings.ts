import type { Config } from '../../config.ts'
import type { ShownSettings } from '../../http/routes/service/settings.ts'

/** The part of the configuration that every user may see. */
export function shownSettings(config: Config): ShownSettings {
  const { journalRetentionMs, deliveryRetentionMs, sessionLifetimeMs, monitorIntervalMs, traceQuietMs, fullText, s3 } =
    config
  const mediaStore = s3 === null ? 'folder' : 'bucket'
  return {
    journalRetentionMs,
    deliveryRetentionMs,
    sessionLifetimeMs,
    monitorIntervalMs,
    traceQuietMs,
    fullText,
    mediaStore,
  }
}
