import { deletionCost } from 'changeover';

export default { fetch: () => new Response(String(deletionCost('5'))) };
