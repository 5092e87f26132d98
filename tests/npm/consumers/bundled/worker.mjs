import { deletionCost } from 'changeover';
import { predict } from 'changeover/async';

export default {
  async fetch(request) {
    const { verdict } = await predict(await request.text(), [], {}, { signal: request.signal });
    return Response.json({ cost: deletionCost('5'), verdict });
  },
};
