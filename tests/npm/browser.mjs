// Opens pages in Chromium, from a static web server.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';

import { chromium } from '@playwright/test';

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' };

const POLICY = [
  "default-src 'self'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "require-trusted-types-for 'script'",
  'trusted-types page',
].join('; ');

/** The same without the permission to compile WebAssembly. */
export const POLICY_WITHOUT_WASM = POLICY.replace(" 'wasm-unsafe-eval'", '');

/** Serves a folder on a free local port, with a content security policy. */
async function serve(folder, policy) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname);
    // Browsers request it on their own.
    if (path === '/favicon.ico') return response.writeHead(204).end();
    try {
      const body = await readFile(join(folder, path));
      response.writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': policy,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, address: `http://127.0.0.1:${server.address().port}` };
}

/**
 * Opens a page of a folder and returns its result. Fails on any error of the page or the browser, except for `expected` ones.
 * By default, the page has a strict content security policy and Trusted Types. With a `picture`, it saves a screenshot of that
 * element to that file.
 */
export async function open(folder, page, result = () => window.result, { picture, policy = POLICY, expected = /^$/ } = {}) {
  const { server, address } = await serve(folder, policy);
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const tab = await browser.newPage({ viewport: { width: 760, height: 640 }, deviceScaleFactor: 2 });
    const errors = [];
    tab.on('pageerror', (error) => errors.push(error.message));
    tab.on('console', (message) => message.type() === 'error' && !expected.test(message.text()) && errors.push(message.text()));
    await tab.goto(`${address}/${page}`);
    const done = tab.waitForFunction(result, null, { timeout: 60_000 });
    const value = await done.then((handle) => handle.jsonValue(), (error) => errors.push(error.message));
    if (errors.length > 0) throw new Error(errors.join('\n'));
    if (picture) await tab.locator(picture.element).screenshot({ path: picture.file });
    return value;
  } finally {
    await browser.close();
    server.close();
  }
}
