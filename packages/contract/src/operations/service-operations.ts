import { Type } from 'typebox'
import { Health, Readiness } from '../schemas/health.ts'
import { Settings } from '../schemas/settings.ts'
import type { Operation } from './operation.ts'

export const SERVICE_OPERATIONS = {
  getHealth: {
    method: 'GET',
    path: '/healthz',
    summary: 'Is the process alive?',
    description: 'Answers while the process runs; checks no store.',
    scopes: null,
    takesAnyHead: true,
    responses: { 200: { description: 'The process is alive.', content: { 'application/json': Health } } },
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    summary: 'Can the service take requests?',
    description: 'Checks everything that the service needs.',
    scopes: null,
    responses: {
      200: { description: 'The service is ready.', content: { 'application/json': Readiness } },
      503: { description: 'The service is not ready; `checks` says why.', content: { 'application/json': Readiness } },
    },
  },
  getMetrics: {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics of the service for Prometheus',
    description: 'Metrics such as requests, queue depth, commit latency and size, open tails and store size.',
    scopes: null,
    responses: {
      200: {
        description: 'The Prometheus text format.',
        content: { 'text/plain': Type.String({ description: 'Prometheus text exposition.' }) },
      },
    },
  },
  getSettings: {
    method: 'GET',
    path: '/v1/settings',
    summary: 'Read the settings',
    description: 'Limits, retention and features, the same for all projects. No secrets.',
    scopes: ['read'],
    responses: { 200: { description: 'The settings.', content: { 'application/json': Settings } } },
  },
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    description: 'OpenAPI 3.1, generated from the schemas that validate requests.',
    scopes: null,
    responses: {
      200: {
        description: 'The document.',
        content: {
          'application/json': Type.Unsafe<Record<string, unknown>>({
            type: 'object',
            required: ['openapi', 'info', 'paths', 'components'],
            description: 'An OpenAPI document.',
          }),
        },
      },
    },
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    summary: 'This document as a page',
    description: 'A page that shows every operation and its schemas.',
    scopes: null,
    takesAnyHead: true,
    responses: {
      200: { description: 'The page.', content: { 'text/html': Type.String({ description: 'HTML.' }) } },
      302: { description: 'The URL has a query; the page is at the URL without it.', content: {} },
    },
  },
} as const satisfies Record<string, Operation>
