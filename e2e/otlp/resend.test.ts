import { test } from 'node:test'
import { Service } from '../lib/service.ts'
import { resendAfterKills } from './resend-after-kills.ts'

test('exports that are sent again after kill -9 are stored once, and spans that end later replace their steps', async () => {
  await using service = await Service.start()
  await resendAfterKills(service, 3)
})
