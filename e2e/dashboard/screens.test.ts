// They share one browser and one service.
await import('./shared/deletions.ts')
await import('./shared/home.ts')
await import('./shared/masking.ts')
await import('./shared/metrics.ts')
await import('./shared/senders.ts')
await import('./shared/versions.ts')
