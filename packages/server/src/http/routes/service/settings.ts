import { type Limits, toWireLimits } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import type { Settings } from '@spoor/contract/schemas/settings'
import type { FastifyInstance } from 'fastify'
import { serve } from '../../kernel/route.ts'

/** The settings at the start of the service that users may see: no secrets, no paths. */
export interface ShownSettings {
  readonly journalRetentionMs: number
  readonly deliveryRetentionMs: number
  readonly idempotencyMs: number
  readonly auditRetentionMs: number
  readonly sessionLifetimeMs: number
  readonly monitorIntervalMs: number
  readonly traceQuietMs: number
  readonly fullText: boolean
  readonly mediaStore: 'folder' | 'bucket'
}

interface SettingsDependencies {
  readonly settings: ShownSettings
  readonly limits: Limits
  readonly version: string
}

export function registerSettingsRoute(app: FastifyInstance, { settings, limits, version }: SettingsDependencies): void {
  const answer: Settings = {
    version,
    limits: toWireLimits(limits),
    retention: {
      journal_seconds: settings.journalRetentionMs / 1000,
      delivery_seconds: settings.deliveryRetentionMs / 1000,
      idempotency_seconds: settings.idempotencyMs / 1000,
      audit_seconds: settings.auditRetentionMs / 1000,
      session_seconds: settings.sessionLifetimeMs / 1000,
    },
    features: {
      full_text: settings.fullText,
      media_store: settings.mediaStore,
      monitor_interval_seconds: settings.monitorIntervalMs / 1000,
      trace_quiet_seconds: settings.traceQuietMs / 1000,
    },
  }
  serve(app, OPERATIONS.getSettings, ({ reply }) => reply.send(answer))
}
