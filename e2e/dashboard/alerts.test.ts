// They share one browser and one service.
await import('./shared/findings.ts')
await import('./shared/monitors.ts')
await import('./shared/webhooks.ts')
