//! An injector that is no longer registered (I2).

use async_trait::async_trait;
use standing_orders_session::InjectorId;

use super::contract::{InjectError, InjectionContext, Injector, Wanted};

/// Wants nothing: what is in force of it goes.
#[derive(Debug)]
pub(crate) struct Retired {
    pub(crate) id: InjectorId,
}

#[async_trait]
impl Injector for Retired {
    fn id(&self) -> &InjectorId {
        &self.id
    }

    async fn wanted(&self, _context: &InjectionContext<'_>) -> Result<Wanted, InjectError> {
        Ok(Wanted::These(Vec::new()))
    }

    fn max_bytes(&self) -> Option<u64> {
        // Removals need some room, however the deployment's budget is set.
        Some(4096)
    }
}
