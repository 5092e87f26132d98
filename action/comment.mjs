// The comment on the pull request. There is one for each name, and every run updates it.
import * as core from '@actions/core';
import { context, getOctokit } from '@actions/github';

import { truncated } from './truncation.mjs';

/** The most characters that GitHub takes in a comment are 65,536; some are the marker's. */
const LENGTH = 65_000;

/** Whether a report says something that a reviewer does not know without it. */
export function isWorthAComment({ findings, prediction: { workloads, jobs, warnings } }) {
  return findings.length > 0 || warnings.length > 0 || [...workloads, ...jobs].some(({ change }) => change);
}

/**
 * Writes or updates the comment, and returns its address.
 *
 * Without a pull request there is nothing to do, and without the permission there is a warning: pull requests of forks have
 * none, and the report stands in the job's summary as well.
 */
export async function writeComment({ name, token }, markdown, isNew) {
  const number = context.payload.pull_request?.number;
  if (!number) {
    core.info('No comment: this run is not about a pull request.');
    return '';
  }
  try {
    return await upsert(getOctokit(token), number, name, markdown, isNew);
  } catch (error) {
    const hint = error.status === 403 ? ': this needs the permission pull-requests: write, which pull requests from forks never have' : '';
    core.warning(`The comment could not be written (${error.message})${hint}. The report is in the summary of the job.`);
    return '';
  }
}

async function upsert(octokit, number, name, markdown, isNew) {
  const marker = `<!-- changeover: ${name.replaceAll('--', '__')} -->`;
  const body = `${marker}\n${truncated(markdown, LENGTH, 'The rest is in the summary of the job.')}`;
  const comments = await octokit.paginate(octokit.rest.issues.listComments, { ...context.repo, issue_number: number, per_page: 100 });
  const known = await ownComment(octokit, comments.filter((comment) => comment.body?.startsWith(marker)));
  if (known) {
    const { data } = await octokit.rest.issues.updateComment({ ...context.repo, comment_id: known.id, body });
    return data.html_url;
  }
  if (!isNew) {
    core.info('No comment: no Deployment or Job changes.');
    return '';
  }
  const { data } = await octokit.rest.issues.createComment({ ...context.repo, issue_number: number, body });
  return data.html_url;
}

/** The one of these comments that the action wrote: as a bot, or as the user whose token it has. Others quote the marker. */
async function ownComment(octokit, comments) {
  const ofBot = comments.find(({ user }) => user?.type === 'Bot');
  if (ofBot || comments.length === 0) return ofBot;
  // The job's own token belongs to no user.
  const login = await octokit.rest.users.getAuthenticated().then(({ data }) => data.login, () => undefined);
  return comments.find(({ user }) => login && user?.login === login);
}
